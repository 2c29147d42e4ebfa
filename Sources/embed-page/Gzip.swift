import CZlib

enum Gzip {
    /// Compresses bytes as one gzip member (RFC 1952), without a time stamp, so that equal input gives equal output.
    /// - Throws: `GzipError`, which ends the build.
    static func compress(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
        var stream = z_stream()
        let begun = czlib_begin_gzip(&stream)
        guard begun == Z_OK else { throw GzipError(code: begun) }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let size = output.count
        let ended = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(size)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard ended == Z_STREAM_END else { throw GzipError(code: ended) }
        return Array(output[..<(size - Int(stream.avail_out))])
    }
}

/// zlib's result code for a step that failed.
struct GzipError: Error { let code: Int32 }
