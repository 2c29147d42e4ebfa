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
        self.places = (self.place(of: "=", from: 0), self.place(of: "@", from: 0), self.place(of: "%", from: 0))
    }

    /// Whether the text contains none of them.
    var isEmpty: Bool { min(self.places.equals, self.places.at, self.places.percent) == self.bytes.count }

    /// Returns the first position at or after `start`, which must not decrease between calls; `nil` at the end.
    mutating func next(from start: Int) -> Int? {
        if self.places.equals < start { self.places.equals = self.place(of: "=", from: start) }
        if self.places.at < start { self.places.at = self.place(of: "@", from: start) }
        if self.places.percent < start { self.places.percent = self.place(of: "%", from: start) }
        let place = min(self.places.equals, self.places.at, self.places.percent)
        return place < self.bytes.count ? place : nil
    }

    private func place(of mark: Unicode.Scalar, from start: Int) -> Int {
        guard start < self.bytes.count, let base = self.bytes.baseAddress else { return self.bytes.count }
        return memchr(base + start, Int32(mark.value), self.bytes.count - start).map { base.distance(to: UnsafeRawPointer($0)) }
            ?? self.bytes.count
    }
}
