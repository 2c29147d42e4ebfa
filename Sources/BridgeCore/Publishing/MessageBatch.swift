import CastModels

/// The documents of one owner in one reusable buffer: for each the topic, a NUL and the payload, as the broker receives them.
///
/// They are written and compared in place; those to be sent get a token.
public struct MessageBatch: ~Copyable {
    /// One message; its ranges are positions in the buffer.
    public struct Message: Sendable {
        /// The topic, which is followed by a NUL.
        public let topic: Range<Int>
        public fileprivate(set) var payload: Range<Int>
        /// The QoS, 0 or 1.
        public let qos: UInt8
        public let retain: Bool
        public let content: OutgoingMessage.Content
        /// The MQTT 5 message expiry in seconds; `nil` means none.
        public let expirySeconds: UInt32?
        /// See `OutgoingMessage.moment`.
        let moment: Int64?
        /// Whether `payload` contains the time of sending at `timestampOffset`.
        let hasTimestamp: Bool
        /// Identifies the message in its outcome; `nil` when it is not sent.
        public internal(set) var token: Publisher.Token?

        /// Whether it is a plain value, which a document also has.
        var isPlainValue: Bool { self.content == .text && self.qos == 0 }

        /// An upper bound of the size of the MQTT 5 PUBLISH packet in bytes, including properties.
        var packetSizeBound: Int { OutgoingMessage.packetOverhead + self.topic.count + self.payload.count }
    }

    /// The position of the member `ts` in a document: directly after `{"schema":1,`.
    static let timestampOffset = 12
    /// The length of `"ts":"…",`.
    static let timestampLength = 8 + Timestamp.length

    private var writer = JSONWriter(capacity: 4096)
    public private(set) var messages: [Message] = []

    public init() {}

    /// Calls `body` with the buffer, in place; bytes outside the ranges of messages are meaningless.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { self.writer.withBytes(body) }

    public func bytes(in range: Range<Int>) -> [UInt8] { self.writer.bytes(in: range) }

    /// The largest capacity that is kept for the next documents. Most owners need a tenth; `bridge/devices` of 1 000 devices needs 640 KB.
    private static let keptCapacity = 65_536

    /// Removes all messages and keeps the buffer.
    public mutating func removeAll() {
        self.writer.removeAll(keeping: Self.keptCapacity)
        self.messages.removeAll(keepingCapacity: true)
    }

    // MARK: Writing

    /// Writes the common beginning of several topics, `<base>/<slug><name>`.
    /// - Returns: its range.
    mutating func folder(_ tree: TopicTree, _ slug: String, _ name: StaticString) -> Range<Int> {
        tree.write(slug, name, to: &self.writer)
    }

    /// Writes the common beginning of several documents, `{"schema":1,"ts":"…"`.
    /// - Returns: its range.
    mutating func documentHead(at time: Timestamp) -> Range<Int> {
        let start = self.writer.count
        self.writer.beginDocument(at: time)
        return start..<self.writer.count
    }

    /// Appends a retained message whose payload is written in place.
    /// - Parameter folder: the range of the beginning of its topic.
    mutating func append(
        _ folder: Range<Int>, _ name: StaticString, qos: UInt8, content: OutgoingMessage.Content, moment: Int64? = nil,
        hasTimestamp: Bool = false, payload: (inout JSONWriter) -> Void
    ) {
        let start = self.writer.count
        self.writer.append(copyOf: folder, then: name)
        let end = self.writer.count
        self.writer.append(0)
        self.writer.beginText()
        payload(&self.writer)
        let isEmpty = self.writer.count == end + 1
        self.messages.append(
            Message(
                topic: start..<end, payload: end + 1..<self.writer.count, qos: qos, retain: true, content: isEmpty ? .empty : content,
                expirySeconds: nil, moment: isEmpty ? nil : moment, hasTimestamp: hasTimestamp, token: nil))
    }

    /// Appends a finished message, without its correlation data, which documents do not have.
    public mutating func append(_ message: OutgoingMessage, at time: Timestamp) {
        let start = self.writer.count
        self.writer.append(raw: message.topic)
        let end = self.writer.count
        self.writer.append(0)
        let stamp = message.timestampOffset.flatMap { $0 <= message.payload.count ? $0 : nil }
        let offset = stamp ?? 0
        message.payload.withUnsafeBytes { self.writer.append(raw: UnsafeRawBufferPointer(rebasing: $0[..<offset])) }
        if stamp != nil {
            self.writer.beginText()
            self.writer.member("ts", time)
            self.writer.append(UInt8(ascii: ","))
        }
        message.payload.withUnsafeBytes { self.writer.append(raw: UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        self.messages.append(
            Message(
                topic: start..<end, payload: end + 1..<self.writer.count, qos: message.qos, retain: message.retain,
                content: message.content, expirySeconds: message.expirySeconds, moment: message.moment,
                hasTimestamp: stamp == Self.timestampOffset, token: nil))
    }

    /// Replaces the secrets in payloads.
    ///
    /// Call it after all documents of an owner are written, because one may copy a part of another. A payload with a secret is written
    /// again after all others.
    public mutating func redact(_ redaction: SecretRedaction) {
        guard self.withBytes({ redaction.mayFind(in: $0) }) else { return }
        for index in self.messages.indices where self.messages[index].content != .binary {
            let redacted = self.withBytes { redaction.redacted(UnsafeRawBufferPointer(rebasing: $0[self.messages[index].payload])) }
            guard let redacted else { continue }
            let start = self.writer.count
            redacted.withUnsafeBytes { self.writer.append(raw: $0) }
            self.messages[index].payload = start..<self.writer.count
        }
    }

    mutating func setToken(_ token: Publisher.Token, at index: Int) { self.messages[index].token = token }

    // MARK: Reading

    /// Returns the message by itself, without its time.
    func outgoing(_ message: Message) -> OutgoingMessage {
        var payload = self.bytes(in: message.payload)
        if message.hasTimestamp { payload.removeSubrange(Self.timestampOffset..<Self.timestampOffset + Self.timestampLength) }
        return OutgoingMessage(
            topic: self.topic(message), payload: payload, timestampOffset: message.hasTimestamp ? Self.timestampOffset : nil,
            qos: message.qos, retain: message.retain, content: message.content, expirySeconds: message.expirySeconds,
            moment: message.moment)
    }

    public func topic(_ message: Message) -> String { self.withBytes { String(decoding: $0[message.topic], as: UTF8.self) } }

    /// Returns a digest of the topic of a message.
    /// - Parameter bytes: the bytes of the buffer.
    func topicDigest(_ index: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        Digest.of(UnsafeRawBufferPointer(rebasing: bytes[self.messages[index].topic]), seed: 0)
    }

    /// Returns the fingerprint by which the value of a message is compared. It ignores the time in a document.
    /// - Parameter bytes: the bytes of the buffer.
    func fingerprint(_ index: Int, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        let kind: UInt64 =
            switch self.messages[index].content {
            case .document(let schema): UInt64(truncatingIfNeeded: schema) << 8
            case .json: 1
            case .text: 2
            case .message: 3
            case .binary: 4
            case .empty: 5
            }
        let skipped = self.messages[index].hasTimestamp ? Self.timestampOffset + Self.timestampLength : 0
        let payload = bytes[self.messages[index].payload.dropFirst(skipped)]
        return Digest.of(UnsafeRawBufferPointer(rebasing: payload), seed: kind << 8 | UInt64(self.messages[index].qos))
    }
}

/// A 64-bit digest by folded multiplication, several times as fast as the standard hasher, which would take 13 % of a pause. Different bytes
/// have equal digests with a probability of about 1 in 2^64, because the seeds are unknown outside the process.
enum Digest {
    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let seeds = self.seeds
        func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
            let product = left.multipliedFullWidth(by: right ^ seeds.1)
            return product.high ^ product.low
        }
        func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        let (count, digest) = (bytes.count, fold(UInt64(bytes.count) ^ seeds.0, seed))
        switch count {
        case 16...:
            var digests = (digest, digest)
            var index = 0
            while index + 32 < count {
                digests.0 = fold(word(index) ^ digests.0, word(index + 8))
                digests.1 = fold(word(index + 16) ^ digests.1, word(index + 24))
                index += 32
            }
            if index + 16 < count { digests.0 = fold(word(index) ^ digests.0, word(index + 8)) }
            // The last sixteen bytes; some of them may have been read already.
            return fold(word(count - 16) ^ digests.0, word(count - 8) ^ digests.1)
        case 8...15: return fold(word(0) ^ digest, word(count - 8))
        default: return fold(bytes.reduce(0) { $0 << 8 | UInt64($1) } ^ digest, 0)
        }
    }
}
