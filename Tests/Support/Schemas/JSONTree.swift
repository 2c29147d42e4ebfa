import Foundation

/// A JSON value as Foundation reads it: independent of the parser and the writer that are tested with it.
public indirect enum JSONTree: Sendable, Hashable, CustomStringConvertible {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// - Throws: when `data` is no JSON.
    public init(_ data: Data) throws { self = try JSONDecoder().decode(JSONTree.self, from: data) }

    var type: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number(let value): value == value.rounded() ? "integer" : "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    func isOf(_ type: String) -> Bool { self.type == type || (type == "number" && self.type == "integer") }

    public var text: String? { if case .string(let value) = self { value } else { nil } }
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    public var elements: [JSONTree]? { if case .array(let value) = self { value } else { nil } }
    public var members: [String: JSONTree]? { if case .object(let value) = self { value } else { nil } }
    public subscript(name: String) -> JSONTree? { self.members?[name] }

    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .string(let value): "\"\(value)\""
        case .array(let values): "[\(values.map(\.description).joined(separator: ","))]"
        case .object(let members): "{\(members.keys.sorted().joined(separator: ","))}"
        }
    }
}

extension JSONTree: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONTree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }
}
