import BridgeCore
import CastModels
import HummingbirdCore

extension URI {
    /// Returns the value of a parameter; `nil` when it is missing.
    func parameter(_ name: String) -> String? { self.queryParameters.get(name) }

    /// Returns a parameter as a level of the log.
    /// - Throws: `bad_query` for another word.
    func logLevel(_ name: String) throws(WebError) -> LogLevel? {
        guard let text = self.parameter(name) else { return nil }
        guard let level = LogLevel(name: text) else {
            throw .badQuery(name, "one of \(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return level
    }

    /// Returns a parameter as a whole number.
    /// - Throws: `bad_query` for anything else.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(WebError) -> Int? {
        guard let text = self.parameter(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badQuery(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension WebError {
    static let unknownDevice = WebError(.notFound, "unknown_device", "There is no device with this slug or id.")

    static func badQuery(_ name: String, _ wanted: String) -> WebError {
        WebError(.badRequest, "bad_query", "\(name) must be \(wanted).")
    }
}

extension StringProtocol {
    /// Returns the text with each `%XX` decoded. Bytes that are not UTF-8 become replacement characters.
    var percentDecoded: String { String(decoding: self.percentDecodedBytes().bytes, as: UTF8.self) }
}
