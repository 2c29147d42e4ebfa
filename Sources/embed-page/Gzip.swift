import CZlib

enum Gzip {
    /// Compresses bytes as one gzip member (RFC 1952), without a time stamp, so that equal input gives equal output.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard czlib_begin_gzip(&stream) == Z_OK else { fatalError("zlib could not begin") }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let size = output.count
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(size)
                guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { fatalError("zlib could not end") }
                return size - Int(stream.avail_out)
            }
        }
        return Array(output[..<written])
    }
}
