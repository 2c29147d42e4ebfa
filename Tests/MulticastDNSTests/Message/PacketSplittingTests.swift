import Testing

@testable import MulticastDNS
@testable import MulticastDNSAnnouncing

@Suite("Splitting into packets")
struct PacketSplittingTests {
    @Test("a thousand known answers travel in packets of 1400 bytes, all but the last marked as truncated")
    func splitsKnownAnswers() throws {
        let known = (0..<1000).map { pointer("device-number-\($0)") }
        let packets = QueryPackets.make(questions: [Question(name: castType, type: .ptr)], knownAnswers: known, packetBytes: 1400)
        let messages = try packets.map { try MessageCodecTests.decode($0).message }
        #expect(packets.count > 1 && packets.allSatisfy { $0.count <= 1400 })
        #expect(messages.flatMap(\.answers) == known)
        #expect(messages.map(\.questions.count) == [1] + [Int](repeating: 0, count: packets.count - 1))
        #expect(messages.map(\.flags.isTruncated) == [Bool](repeating: true, count: packets.count - 1) + [false])
    }

    @Test("many questions travel in several queries")
    func splitsQuestions() throws {
        let questions = (0..<200).map { Question(name: instance("device-number-\($0)"), type: .srv) }
        let messages = try QueryPackets.make(questions: questions, packetBytes: 1400).map { try MessageCodecTests.decode($0).message }
        #expect(messages.count > 1 && messages.flatMap(\.questions) == questions && !messages.contains { $0.flags.isTruncated })
    }

    @Test("no questions give no packet")
    func nothing() { #expect(QueryPackets.make(questions: [], packetBytes: 1400).isEmpty) }

    @Test("records of a service stay in one packet, and packets are filled")
    func groups() throws {
        let groups = (0..<40).map { number in
            RecordGroup(
                answers: [pointer("tv\(number)")],
                additionals: [location("tv\(number)"), text("tv\(number)"), address("tv\(number).local", "192.0.2.1")])
        }
        let packets = GroupedPackets(flags: .response, packetBytes: 1400).make(groups)
        let messages = try packets.map { try MessageCodecTests.decode($0).message }
        #expect(messages.flatMap(\.answers) == groups.flatMap(\.answers))
        #expect(messages.flatMap(\.additionals) == groups.flatMap(\.additionals))
        #expect(messages.allSatisfy { $0.additionals.count == 3 * $0.answers.count })
        #expect(packets.dropLast().allSatisfy { $0.count > 1100 && $0.count <= 1400 })
    }

    @Test("a group too large for a packet goes without additional records, then alone in a larger packet")
    func largeGroups() throws {
        let large = text("tv", (0..<12).map { "\($0)=\(String(repeating: "x", count: 200))" })
        let medium = text("tv", (0..<6).map { "\($0)=\(String(repeating: "x", count: 200))" })
        let maker = GroupedPackets(flags: .response, packetBytes: 1400)
        let packets = maker.make([
            RecordGroup(answers: [pointer("a")]), RecordGroup(answers: [large], additionals: [pointer("b")]),
            RecordGroup(answers: [pointer("c")], additionals: [medium, large]), RecordGroup(answers: [pointer("d")]),
        ])
        let messages = try packets.map { try MessageCodecTests.decode($0).message }
        let isExpected = messages.map(\.answers) == [[pointer("a")], [large], [pointer("c"), pointer("d")]]
        #expect(isExpected)
        #expect(messages.allSatisfy { $0.additionals.isEmpty })
        #expect(packets[1].count > 1400)
    }

    @Test("a record that groups share is sent once in a packet")
    func sharedRecords() throws {
        let host = address("leader.local", "192.0.2.1")
        let packets = GroupedPackets(flags: .response, packetBytes: 1400).make([
            RecordGroup(answers: [pointer("a")], additionals: [host]), RecordGroup(answers: [pointer("b")], additionals: [host]),
        ])
        #expect(try packets.map { try MessageCodecTests.decode($0).message.additionals } == [[host]])
    }
}
