/// One value of a text that `JSONReader` has checked. A container is followed by what it holds; a member is its key, then its value.
@usableFromInline
struct JSONEntry: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, number
        // Those that have a place in the text.
        case string, array, object
    }

    @usableFromInline let kind: Kind
    /// Strings only: it has escapes, so `place` is in their copy without them.
    @usableFromInline private(set) var isUnescaped = false
    /// Strings only.
    @usableFromInline private(set) var isASCII = false
    /// Of a container: how many others it is in.
    private(set) var depth: UInt8 = 0
    /// The entries of this value, those within it included: as far away is what follows it.
    @usableFromInline private(set) var count: UInt32 = 1
    /// A number's value; of a string the place of its bytes, of a container that of its text.
    @usableFromInline private(set) var bits: UInt64 = 0

    init(_ kind: Kind, depth: Int = 0) {
        self.kind = kind
        self.depth = UInt8(truncatingIfNeeded: depth)
    }

    init(_ value: Int64) {
        self.kind = .integer
        self.bits = UInt64(bitPattern: value)
    }

    init(_ value: Double) {
        self.kind = .number
        self.bits = value.bitPattern
    }

    init(text place: Range<Int>, isASCII: Bool) {
        self.kind = .string
        self.isASCII = isASCII
        self.bits = Self.bits(of: place)
    }

    init(unescaped place: Range<Int>) {
        self.kind = .string
        self.isUnescaped = true
        self.bits = Self.bits(of: place)
    }

    mutating func end(_ place: Range<Int>, count: Int) {
        self.count = UInt32(count)
        self.bits = Self.bits(of: place)
    }

    // Texts have at most `JSONParser.maximumSize` bytes, and what is in them fewer.
    private static func bits(of place: Range<Int>) -> UInt64 {
        UInt64(truncatingIfNeeded: place.lowerBound) &<< 32 | UInt64(truncatingIfNeeded: place.upperBound &- place.lowerBound)
    }

    /// The same value is so many bytes further on in the text, or in the copies without escapes.
    mutating func move(by distance: Int, unescapedBy unescapedDistance: Int) {
        guard self.kind.rawValue >= Kind.string.rawValue else { return }
        self.bits &+= UInt64(truncatingIfNeeded: self.isUnescaped ? unescapedDistance : distance) &<< 32
    }

    @inlinable var start: Int { Int(self.bits >> 32) }
    @inlinable var length: Int { Int(self.bits & 0xFFFF_FFFF) }
}
