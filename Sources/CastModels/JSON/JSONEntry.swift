/// One value of a text that `JSONReader` has checked. The entries of a container's content follow its own entry; a member is a key, then a
/// value.
@usableFromInline
struct JSONEntry: Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        case null, `false`, `true`, integer, number
        // Kinds with a position in the text.
        case string, array, object
    }

    @usableFromInline let kind: Kind
    /// Strings only: the string has escapes, so `place` refers to the unescaped copy.
    @usableFromInline private(set) var isUnescaped = false
    /// Strings only: every byte is ASCII.
    @usableFromInline private(set) var isASCII = false
    /// Containers only: the number of enclosing containers.
    private(set) var depth: UInt8 = 0
    /// The number of entries of this value, including nested ones: the offset of the entry that follows the value.
    @usableFromInline private(set) var count: UInt32 = 1
    /// The value of a number, the position of a string's bytes, or the position of a container's text.
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

    // Texts have at most `JSONParser.maximumSize` bytes, so positions and lengths within them fit.
    private static func bits(of place: Range<Int>) -> UInt64 {
        UInt64(truncatingIfNeeded: place.lowerBound) &<< 32 | UInt64(truncatingIfNeeded: place.upperBound &- place.lowerBound)
    }

    /// Moves the positions by a distance in the text and by one in the unescaped copies: the same value occurs there.
    mutating func move(by distance: Int, unescapedBy unescapedDistance: Int) {
        guard self.kind.rawValue >= Kind.string.rawValue else { return }
        self.bits &+= UInt64(truncatingIfNeeded: self.isUnescaped ? unescapedDistance : distance) &<< 32
    }

    @inlinable var start: Int { Int(self.bits >> 32) }
    @inlinable var length: Int { Int(self.bits & 0xFFFF_FFFF) }
}
