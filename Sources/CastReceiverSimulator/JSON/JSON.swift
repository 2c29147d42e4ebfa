/// A JSON value in the simulator; the members of an object keep their order.
///
/// The simulator has its own JSON so that a mistake in a sender's JSON code cannot hide in its test double.
public indirect enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One member of an object.
    public struct Member: Sendable, Hashable {
        public var name: String
        public var value: JSON

        public init(name: String, value: JSON) { (self.name, self.value) = (name, value) }
    }

    /// Returns an object without the members whose value is `nil`.
    public static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// The last member with that name; `nil` when there is none or the value is not an object. Setting `nil` removes it.
    public subscript(_ name: String) -> JSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.last { $0.name == name }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            if let index = members.lastIndex(where: { $0.name == name }) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                members.append(Member(name: name, value: newValue))
            }
            self = .object(members)
        }
    }

    public var isObject: Bool { if case .object = self { true } else { false } }
    public var isNull: Bool { self == .null }
    public var text: String? { if case .string(let value) = self { value } else { nil } }
    public var boolean: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var elements: [JSON]? { if case .array(let value) = self { value } else { nil } }

    /// The value of a number in either form.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value of a whole number (`2`, `2.0`).
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}
