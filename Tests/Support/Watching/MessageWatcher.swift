import Foundation
import Synchronization

/// Records every message of a broker with a program that is not ours, `mosquitto_sub`.
public final class MessageWatcher: Sendable {
    /// One message as it arrived.
    public struct Message: Sendable, Hashable {
        public var topic: String
        public var payload: [UInt8]
        public var qos: Int
        /// Whether the broker had retained it when the watcher subscribed.
        public var isLeftOver: Bool

        public var text: String { String(decoding: self.payload, as: UTF8.self) }

        /// The payload as a JSON object, empty when it is none.
        public var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(self.payload))) as? [String: Any] ?? [:] }
    }

    private let process: ChildProcess
    private let checksSchemas: Bool
    /// How many of the messages have been checked, and what was wrong with them.
    private let checked = Mutex<(count: Int, problems: [String])>((0, []))

    /// Subscribes to `filter` and returns once the broker acknowledged it.
    /// - Parameter checksSchemas: whether what comes below `cast2mqtt/` is the bridge's, so that it must be as documented.
    public init(
        port: Int, host: String = "127.0.0.1", filter: String = "#", arguments: [String] = [], namespace: NetworkNamespace? = nil,
        checksSchemas: Bool = true
    ) async throws {
        self.checksSchemas = checksSchemas
        self.process = try await ChildProcess(
            "stdbuf",
            [
                // Into a pipe it would write in blocks.
                "-oL", "mosquitto_sub", "-h", host, "-p", "\(port)", "-V", "5", "-q", "1", "-t", filter, "-d", "-F",
                "message\t%r\t%q\t%t\t%x",
            ] + arguments,
            namespace: namespace)
        try await self.process.line(containing: "Subscribed (mid")
    }

    /// Every message so far, in order.
    public var messages: [Message] {
        // A message of a megabyte arrives in parts, so the last line counts only once its end is here.
        self.process.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 5, fields[0] == "message" else { return nil }
            return Message(
                topic: String(fields[3]), payload: Self.bytes(hexadecimal: fields[4]), qos: Int(fields[2]) ?? 0,
                isLeftOver: fields[1] == "1")
        }
    }

    /// Checks every message since the last time against the schemas that are shipped.
    ///
    /// - Throws: when any message so far is not as documented.
    public func checkSchemas() throws {
        guard self.checksSchemas else { return }
        let (schemas, messages) = (try TopicSchemas.shipped.get(), self.messages)
        let problems = try self.checked.withLock { checked in
            for message in messages.dropFirst(checked.count) where checked.problems.count < 20 {
                checked.problems += try schemas.problems(topic: message.topic, payload: message.payload)
            }
            checked.count = messages.count
            return checked.problems
        }
        guard problems.isEmpty else { throw ConditionNotMet(description: "against the schemas:\n  " + problems.joined(separator: "\n  ")) }
    }

    /// The current payload of each topic; cleared topics are removed.
    public var current: [String: Message] {
        var tree: [String: Message] = [:]
        for message in self.messages { tree[message.topic] = message.payload.isEmpty ? nil : message }
        return tree
    }

    /// Waits for a message on `topic` that satisfies `condition`, past ones included.
    @discardableResult
    public func message(
        on topic: String, within limit: Duration = .seconds(60), where condition: (Message) -> Bool = { _ in true }
    ) async throws -> Message {
        do {
            let message = try await eventually("a message on \(topic)", within: limit) {
                self.messages.last { $0.topic == topic && condition($0) }
            }
            try self.checkSchemas()
            return message
        } catch let error as ConditionNotMet {
            let seen = self.messages.filter { $0.topic == topic }.suffix(5).map(\.text).joined(separator: "\n  ")
            throw ConditionNotMet(description: "\(error.description); last on it:\n  \(seen)")
        }
    }

    /// Waits until the current payload of `topic` satisfies `condition`.
    @discardableResult
    public func current(_ topic: String, within limit: Duration = .seconds(60), where condition: (Message) -> Bool) async throws -> Message
    {
        do {
            let message = try await eventually("\(topic) to be as wanted", within: limit) {
                self.current[topic].flatMap { condition($0) ? $0 : nil }
            }
            try self.checkSchemas()
            return message
        } catch let error as ConditionNotMet {
            throw ConditionNotMet(description: "\(error.description); it says:\n  \(self.current[topic]?.text ?? "nothing")")
        }
    }

    /// Ends the watcher.
    public func stop() async throws {
        // mosquitto_sub disconnects within its signal handler, and hangs for good when that interrupts it amid a call of its library. What
        // it printed is here already.
        self.process.signal(SIGKILL)
        try await self.process.ended()
        try self.checkSchemas()
    }

    private static func bytes(hexadecimal text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var digits = text.makeIterator()
        while let high = digits.next()?.hexDigitValue, let low = digits.next()?.hexDigitValue { bytes.append(UInt8(high << 4 | low)) }
        return bytes
    }
}
