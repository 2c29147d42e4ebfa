#if canImport(Glibc)
    import Glibc
#endif

/// The positions of `=`, `@` and `%` in a text; a text without them has no secret.
///
/// The C library searches for each of them, 32 bytes at a time: most documents contain none of the three, and are written often. A loop over
/// the bytes costs 24 000 instructions, a sixth of a pause.
struct AddressMarks {
    private let bytes: UnsafeRawBufferPointer
    /// The next position of each; the end of the text when there is no more.
    private var places = (equals: 0, at: 0, percent: 0)

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        self.places = (
            Self.place(of: "=", in: bytes, from: 0), Self.place(of: "@", in: bytes, from: 0), Self.place(of: "%", in: bytes, from: 0)
        )
    }

    /// Whether a text contains any of them.
    static func areFound(in bytes: UnsafeRawBufferPointer) -> Bool {
        self.finds("=", in: bytes) || self.finds("%", in: bytes) || self.finds("@", in: bytes)
    }

    static func finds(_ character: Unicode.Scalar, in bytes: UnsafeRawBufferPointer) -> Bool {
        self.place(of: character, in: bytes, from: 0) < bytes.count
    }

    /// Returns the first position at or after `start`, which must not decrease between calls; `nil` at the end.
    mutating func next(from start: Int) -> Int? {
        if self.places.equals < start { self.places.equals = Self.place(of: "=", in: self.bytes, from: start) }
        if self.places.at < start { self.places.at = Self.place(of: "@", in: self.bytes, from: start) }
        if self.places.percent < start { self.places.percent = Self.place(of: "%", in: self.bytes, from: start) }
        let place = min(self.places.equals, self.places.at, self.places.percent)
        return place < self.bytes.count ? place : nil
    }

    private static func place(of mark: Unicode.Scalar, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress else { return bytes.count }
        return memchr(base + start, Int32(mark.value), bytes.count - start).map { base.distance(to: UnsafeRawPointer($0)) } ?? bytes.count
    }
}
