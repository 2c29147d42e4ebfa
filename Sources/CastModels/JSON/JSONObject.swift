/// The members of a JSON object in their written order.
///
/// A lookup walks the members from the end, so the last of duplicate keys wins, as in every browser. Objects on the wire are small; a walk
/// costs less than hashing each key while parsing.
public struct JSONObject: Sendable, Hashable {
    /// One member.
    public struct Member: Sendable, Hashable {
        public var key: String
        public var value: JSONValue

        public init(key: String, value: JSONValue) { (self.key, self.value) = (key, value) }
    }

    /// All members in order, duplicates included.
    public private(set) var members: [Member]

    /// Creates an empty object.
    public init() { self.members = [] }

    /// Creates an object with `members` in this order.
    public init(members: [Member]) { self.members = members }

    /// Creates an object with these keys and values in this order.
    public init(_ elements: [(String, JSONValue)]) { self.members = elements.map { Member(key: $0.0, value: $0.1) } }

    /// The keys in order, duplicates included.
    public var keys: [String] { self.members.map(\.key) }

    /// Whether the object has no members.
    public var isEmpty: Bool { self.members.isEmpty }

    /// The last value of `key`. Setting `nil` removes every member with that key.
    public subscript(key: String) -> JSONValue? {
        get { self.lastIndex(of: key).map { self.members[$0].value } }
        set {
            guard let newValue else { return self.members.removeAll { $0.key == key } }
            if let index = self.lastIndex(of: key) {
                self.members[index].value = newValue
            } else {
                self.members.append(Member(key: key, value: newValue))
            }
        }
    }

    private func lastIndex(of key: String) -> Int? {
        let length = key.utf8.count
        var index = self.members.count
        while index > 0 {
            index -= 1
            // Most keys differ in length, which costs nothing to compare.
            if self.members[index].key.utf8.count == length, self.members[index].key == key { return index }
        }
        return nil
    }

    /// Appends a member without checking for an existing one with the same key.
    public mutating func append(_ key: String, _ value: JSONValue) { self.members.append(Member(key: key, value: value)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
