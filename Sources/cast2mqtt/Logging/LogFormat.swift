import BridgeCore
import CastSender
import Logging

enum LogFormat: String, Sendable {
    case text, json
    /// Like `text`, for the journal of systemd: with the priority in front, by which the journal filters, and without a time, which the
    /// journal adds.
    case journal

    /// Returns one line with its line feed; control characters in values cannot forge a second one.
    func line(_ event: LogEvent, label: String, metadata: Logger.Metadata, at time: Timestamp) -> [UInt8] {
        switch self {
        case .text: Self.text(event, label: label, metadata: metadata, at: time)
        case .journal: Self.text(event, label: label, metadata: metadata, at: nil)
        case .json: Self.json(event, label: label, metadata: metadata, at: time)
        }
    }

    private static func text(_ event: LogEvent, label: String, metadata: Logger.Metadata, at time: Timestamp?) -> [UInt8] {
        let start = time.map { "\($0.text) " } ?? Self.priorities[event.level] ?? ""
        var line = "\(start)\(event.level.rawValue.uppercased()) \(label): \(event.message)"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let text = value.description.printable
            let isQuoted = text.isEmpty || text.contains { " \"=".contains($0) }
            line += isQuoted ? " \(key)=\"\(String(text.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] }))\"" : " \(key)=\(text)"
        }
        return Array((line + "\n").utf8)
    }

    private static func json(_ event: LogEvent, label: String, metadata: Logger.Metadata, at time: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ts", time.text)
        writer.member("level", event.level.rawValue)
        writer.member("source", label)
        writer.member("message", event.message.description)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { writer.member(key, .string(value.description)) }
        writer.endObject()
        return Array((String(decoding: writer.bytes, as: UTF8.self).printableJSON + "\n").utf8)
    }

    /// The prefixes by which the journal recognises the priority of a line (sd-daemon(3)).
    private static let priorities: [Logger.Level: String] = [
        .trace: "<7>", .debug: "<7>", .info: "<6>", .notice: "<5>", .warning: "<4>", .error: "<3>", .critical: "<2>",
    ]
}
