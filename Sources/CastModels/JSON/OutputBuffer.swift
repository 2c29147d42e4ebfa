/// A byte buffer that grows at its end and reuses its memory.
///
/// An array would check for a unique reference at each append, and a document consists of hundreds of pieces: 5 % of a new item.
struct OutputBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private(set) var capacity: Int
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

    /// Appends the bytes that `write` stores: it has room for `size` bytes and returns the number that it stored.
    @inline(__always)
    mutating func append(upTo size: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        // Sizes are those of texts in memory, far below overflow.
        if self.capacity &- self.count < size { self.grow(by: size) }
        self.count &+= write(self.base + self.count)
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
    /// Copies bytes into the buffer. Most texts are short; they are copied as two overlapping words without a call.
    @inline(__always)
    func copy(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > 64, let source = bytes.baseAddress {
            UnsafeMutableRawPointer(self).copyMemory(from: source, byteCount: bytes.count)
        } else {
            self.copyShort(bytes)
        }
    }

    /// Copies bytes of texts that are mostly shorter than 64 bytes. It calls no function, so its caller saves no registers.
    @inline(__always)
    func copyShort(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        let (target, count) = (UnsafeMutableRawPointer(self), bytes.count)
        func word<Word: BitwiseCopyable>(_: Word.Type, at offset: Int) {
            target.storeBytes(of: source.loadUnaligned(fromByteOffset: offset, as: Word.self), toByteOffset: offset, as: Word.self)
        }
        switch count {
        case 8...:
            var offset = 0
            while offset < count &- 8 {
                word(UInt64.self, at: offset)
                offset &+= 8
            }
            word(UInt64.self, at: count &- 8)
        case 4...:
            word(UInt32.self, at: 0)
            word(UInt32.self, at: count &- 4)
        case 2...:
            word(UInt16.self, at: 0)
            word(UInt16.self, at: count &- 2)
        case 1: word(UInt8.self, at: 0)
        default: break
        }
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of a string, in place.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { self.utf8Span.span.withUnsafeBytes(body) }
}
