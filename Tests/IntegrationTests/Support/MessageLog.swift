import Foundation
import TestSupport

/// The output file of `mosquitto_sub`, read from where the last read ended: for streams of thousands of messages.
///
/// Payloads are text without line breaks, as all of ours are. Not shared between tasks.
final class MessageLog {
    struct Message {
        var topic: String
        var correlation: String
        var text: String

        var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(self.text.utf8))) as? [String: Any] ?? [:] }
    }

    private let process: ChildProcess
    private let file: FileHandle
    private var unfinished = Data()
    /// The messages that `update` read, in order.
    private(set) var messages: [Message] = []
    /// The newest text of each topic, empty ones left out.
    private(set) var current: [String: String] = [:]

    /// Subscribes to `filters`, which must not overlap, and returns once the broker acknowledged it.
    init(_ house: Household, filters: [String]) async throws {
        let path = house.folder + "/messages-" + UUID().uuidString
        try Data().write(to: URL(fileURLWithPath: path))
        let topics = filters.map { "-t '\($0)'" }.joined(separator: " ")
        self.process = try await ChildProcess(
            "sh",
            [
                "-c",
                "exec stdbuf -oL mosquitto_sub -h \(house.broker.host) -p \(house.broker.port) -V 5 -q 1 -d -F 'message\t%t\t%D\t%p' \(topics) > \(path)",
            ], namespace: house.hosts.broker)
        self.file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try await eventually("the log of messages is subscribed") {
            (try? String(contentsOfFile: path, encoding: .utf8))?.contains("Subscribed (mid")
        }
    }

    /// Reads what has come since the last look; gives only that.
    @discardableResult
    func update() throws -> ArraySlice<Message> {
        self.unfinished += try self.file.readToEnd() ?? Data()
        let former = self.messages.count
        while let end = self.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: self.unfinished[..<end], as: UTF8.self)
            self.unfinished = Data(self.unfinished[(end + 1)...])
            let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 4, fields[0] == "message" else { continue }
            let message = Message(topic: String(fields[1]), correlation: String(fields[2]), text: String(fields[3]))
            self.current[message.topic] = message.text.isEmpty ? nil : message.text
            self.messages.append(message)
        }
        return self.messages[former...]
    }
}
