import CastModels
import Testing

@testable import BridgeCore

@Suite("What the leader of a pair hands over") struct PairRecordTests {
    private static let topics = TopicTree(base: "c")

    private static func file(_ count: Int) -> StateFile {
        let devices = (0..<count).map { number in
            var device = KnownDevice(
                id: "id\(number)", slug: "room-\(number)", name: "Room \(number)", topics: ["c/room-\(number)/state"])
            device.launched = number == 3 ? Participation(sessionID: "s-3", isLaunched: true, isHeld: true) : nil
            return device
        }
        return StateFile(topics: ["c/bridge/info"], discoveryTopics: ["homeassistant/device/x/config"], devices: devices)
    }

    /// What another member has after these messages.
    private static func read(_ messages: [OutgoingMessage], into record: PairRecord = PairRecord()) -> PairRecord {
        var record = record
        for message in messages {
            record.received(message.payload, name: String(message.topic.split(separator: "/").last ?? ""))
        }
        return record
    }

    @Test("is the same for who reads it, with topics and the sessions that were launched", arguments: [0, 1, 5, 400])
    func same(count: Int) throws {
        let messages = PairRecord(Self.file(count)).messages(since: PairRecord(), topics: Self.topics)
        #expect(
            messages.allSatisfy { $0.retain && $0.qos == 1 && $0.payload.count < 16_384 && $0.topic.hasPrefix("c/bridge/pair/record/") })
        let file = try #require(Self.read(messages).file)
        #expect(Set(file.devices) == Set(Self.file(count).devices) && file.topics == ["c/bridge/info"])
    }

    @Test("a change of one device is one message, and so is the last one that goes")
    func small() throws {
        var file = Self.file(40)
        let former = PairRecord(file)
        file.devices.shuffle()
        #expect(PairRecord(file).messages(since: former, topics: Self.topics).isEmpty)
        file.devices[7].name = "Parlour"
        let messages = PairRecord(file).messages(since: former, topics: Self.topics)
        #expect(messages.count == 1)
        #expect(Self.read(messages, into: former).file.map { Set($0.devices) } == Set(file.devices))
        let unknown = PairRecord(file).messages(since: nil, topics: Self.topics)
        #expect(unknown.count == PairRecord.parts + 1 && unknown.contains { $0.payload.isEmpty }, "what is retained is cleared")
        file.version = PairVersion(term: 3, change: 9)
        let versioned = PairRecord(file).messages(since: former, topics: Self.topics)
        #expect(versioned.count == 2 && versioned[1].topic.hasSuffix("/header"), "what has the version has all before it")
        #expect(Self.read(versioned, into: former).file?.version == file.version)
        let gone = PairRecord(Self.file(0)).messages(since: PairRecord(Self.file(1)), topics: Self.topics)
        #expect(gone.count == 1 && gone[0].payload.isEmpty)
    }

    @Test("a member is read as it was written, and nothing that is none or leads elsewhere")
    func member() {
        let member = PairMember(owner: "a", version: "1", startedAt: Timestamp(milliseconds: 1_800_000_000_000), page: "http://a:8080/")
        #expect(PairMember(JSONWriter.bytes(of: .object(member.json))) == member)
        var other = member
        other.common = PairMember.digest(instance: "home", clientID: "pair")
        #expect(PairMember(JSONWriter.bytes(of: .object(other.message))) == other && other.common != nil && other.json["common"] == nil)
        #expect(other.common != PairMember.digest(instance: "attic", clientID: "pair"))
        other.page = "javascript:alert(1)"
        #expect(PairMember(JSONWriter.bytes(of: .object(other.json)))?.page == nil)
        other.page = "http://" + String(repeating: "a", count: 4_000)
        #expect(PairMember(JSONWriter.bytes(of: .object(other.json))) == nil)
        for text in ["", "{}", "[]", #"{"owner":1}"#] { #expect(PairMember(Array(text.utf8)) == nil) }
    }

    @Test("parts of strangers, damaged or missing ones are left out, and nothing is read without a beginning")
    func damaged() throws {
        var record = PairRecord(Self.file(20))
        record.received(Array("{".utf8), name: "3")
        for name in ["64", "-1", "x", ""] { record.received(Array("{}".utf8), name: name) }
        #expect(try #require(record.file).devices.count < 20)
        record.received([UInt8](repeating: 0x20, count: (1 << 20) + 1), name: "header")
        #expect(record.file != nil, "too large to be one")
        record.received(Array("nonsense".utf8), name: "header")
        #expect(record.file == nil)
        #expect(PairRecord().file == nil)
    }
}
