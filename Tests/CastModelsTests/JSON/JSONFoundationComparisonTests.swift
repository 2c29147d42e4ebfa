import CastModels
import Foundation
import Testing

@Suite("JSON parser beside Foundation's")
struct JSONFoundationComparisonTests {
    private static func reference(_ text: [UInt8]) -> JSONValue? {
        (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)).flatMap(JSONValue.init(foundation:))
    }

    private static func hasTrailingComma(_ text: [UInt8]) -> Bool {
        let dense = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return zip(dense, dense.dropFirst()).contains { $0 == UInt8(ascii: ",") && ($1 == UInt8(ascii: "]") || $1 == UInt8(ascii: "}")) }
    }

    @Test("both read the same value from random JSON", arguments: 0..<40)
    func random(seed: Int) throws {
        var generator = JSONGenerator(seed: UInt64(seed))
        for _ in 0..<50 {
            let text = Array(generator.text().utf8)
            let reference = try #require(Self.reference(text))
            #expect(try JSONParser.parse(text).isSame(as: reference), "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("changed bytes are refused by both, or read alike", arguments: 0..<20)
    func mutated(seed: Int) throws {
        var generator = JSONGenerator(seed: UInt64(1000 + seed))
        var refused = 0
        for _ in 0..<200 {
            var text = Array(generator.text().utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator.random) {
                let index = Int.random(in: 0...text.count, using: &generator.random)
                let byte = Array("{}[]:,\"\\0123456789.eE+-truefalsn \n\u{7}".utf8).randomElement(using: &generator.random) ?? 0
                if index < text.count, Bool.random(using: &generator.random) { text[index] = byte } else { text.insert(byte, at: index) }
            }
            let ours = try? JSONParser.parse(text)
            if ours == nil { refused += 1 }
            // Foundation refuses lone surrogates, which we repair, and takes a comma after the last element, which RFC 8259 doesn't know.
            if let ours, JSONWriter.string(of: ours).contains("\u{FFFD}") { continue }
            if ours == nil, Self.hasTrailingComma(text) { continue }
            let reference = Self.reference(text)
            let agrees =
                switch (ours, reference) {
                case (nil, nil): true
                case (let ours?, let reference?): ours.isSame(as: reference)
                default: false
                }
            #expect(agrees, "\(String(decoding: text, as: UTF8.self)) | \(String(describing: ours)) | \(String(describing: reference))")
        }
        #expect(refused > 50)
    }
}

extension JSONValue {
    fileprivate init?(foundation value: Any) {
        switch value {
        case is NSNull: self = .null
        case let value as String: self = .string(value)
        case let value as NSNumber:
            switch UInt8(bitPattern: value.objCType.pointee) {
            case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .bool(value.boolValue)
            case UInt8(ascii: "d"): self = .number(value.doubleValue)
            case UInt8(ascii: "Q"): self = .number(value.doubleValue)
            default: self = .integer(value.int64Value)
            }
        case let value as [Any]: self = .array(value.compactMap(JSONValue.init(foundation:)))
        case let value as [String: Any]:
            self = .object(JSONObject(value.map { ($0.key, JSONValue(foundation: $0.value) ?? .null) }))
        default: return nil
        }
    }

    /// Equal but for the order of members, duplicates, and the way a whole number is stored.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            Set(left.keys) == Set(right.keys) && left.keys.allSatisfy { key in left[key]?.isSame(as: right[key] ?? .null) ?? false }
        case (.integer(let left), .integer(let right)): left == right
        case (.integer, .number), (.number, .integer), (.number, .number): (self.doubleValue ?? 0).isNear(other.doubleValue ?? 1)
        default: self == other
        }
    }
}

extension Double {
    /// Foundation reads many digits by way of `Decimal`, whose conversion loses the last bits; ours is compared exactly elsewhere.
    fileprivate func isNear(_ other: Double) -> Bool { self == other || abs(self - other) <= 1e-14 * abs(other) }
}
