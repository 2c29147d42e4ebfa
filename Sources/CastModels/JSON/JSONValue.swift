/// Any JSON value (RFC 8259). Integers that fit 64 bits stay exact; every other number is a finite `Double`.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a JSON string; `nil` for other values.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of a JSON boolean; `nil` for other values. Numbers and words are not booleans.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// A JSON number as a `Double`; `nil` for other values.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// A JSON number without a fraction that fits `Int`, also when written like `3.0`; `nil` for other values.
    public var intValue: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The elements of a JSON array; `nil` for other values.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of a JSON object; `nil` for other values.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether the value is JSON `null`.
    public var isNull: Bool { self == .null }

    /// The member `key` of an object; `nil` for a missing key and for a value that is not an object.
    public subscript(key: String) -> JSONValue? { self.objectValue?[key] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
    public init(nilLiteral: ()) { self = .null }
}
