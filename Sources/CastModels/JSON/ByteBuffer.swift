/// Bytes that grow at the end, and memory that is used again.
///
/// Not an array, since every document has hundreds of pieces: an array would ask for each of them whether it is its only owner.
struct ByteBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        self.base = .allocate(capacity: self.capacity)
    }

    deinit { self.base.deallocate() }

    mutating func removeAll() { self.count = 0 }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: self.base, count: self.count))
    }

    /// Appends what `write` stores: as many bytes as it returns, at most `size`, for which there is room.
    @inline(__always)
    mutating func append(upTo size: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        if self.capacity - self.count < size { self.grow(by: size) }
        self.count += write(self.base + self.count)
    }

    @inline(never)
    private mutating func grow(by size: Int) {
        self.capacity += max(size, self.capacity)
        let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
        grown.update(from: self.base, count: self.count)
        self.base.deallocate()
        self.base = grown
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Stores bytes from elsewhere. Most texts are short: two words that overlap are copied without a call.
    @inline(__always)
    func copy(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        let (target, count) = (UnsafeMutableRawPointer(self), bytes.count)
        func words<Word: BitwiseCopyable>(_: Word.Type) {
            let last = count - MemoryLayout<Word>.size
            let (first, second) = (source.loadUnaligned(as: Word.self), source.loadUnaligned(fromByteOffset: last, as: Word.self))
            target.storeBytes(of: first, as: Word.self)
            target.storeBytes(of: second, toByteOffset: last, as: Word.self)
        }
        switch count {
        case 17...: target.copyMemory(from: source, byteCount: count)
        case 8...16: words(UInt64.self)
        case 4...7: words(UInt32.self)
        case 2...3: words(UInt16.self)
        default: words(UInt8.self)
        }
    }
}

extension String {
    /// Lends the UTF-8 bytes.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = self.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(self.utf8).withUnsafeBytes(body)
    }
}
