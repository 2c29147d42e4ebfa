import Testing

@testable import MQTTClient

@Suite("Values")
struct ValueTests {
    @Test("the password is in no description, dump or mirror")
    func passwordIsSecret() {
        var configuration = MQTTConfiguration(host: "h", port: 1883, username: "somebody", password: "hunter2", clientID: "c")
        configuration.tls = .init()
        var dumped = ""
        dump(configuration, to: &dumped)
        let texts = [
            "\(configuration)", String(reflecting: configuration), dumped, "\(Mirror(reflecting: configuration).children.map { "\($0)" })",
        ]
        for text in texts {
            #expect(!text.contains("hunter2"))
            #expect(!text.isEmpty)
        }
    }

    @Test("the reason of a failed link is told in words", arguments: [(0, "closed by the peer"), (111, "Connection refused")])
    func systemErrors(code: Int32, text: String) { #expect("\(SystemError(code: code))" == text) }

    @Test(
        "unusable settings are found before anything is sent",
        arguments: [
            { $0.host = "" }, { $0.host = "a\0b" }, { $0.port = 0 }, { $0.clientID = "" }, { $0.clientID = "a\0" }, { $0.username = "u\0" },
            { $0.password = "without user" },
            {
                $0.username = "u"
                $0.password = "p\0"
            }, { $0.keepAliveSeconds = 4 }, { $0.halfOpenLimit = .seconds(1) }, { $0.acknowledgementLimit = .zero },
            { $0.nameLimit = .zero }, { $0.connectLimit = .zero }, { $0.attemptLimit = .zero }, { $0.tls = .init(certificateFile: "c") },
            { $0.will = MQTTMessage(topic: "a/#", text: "") },
        ] as [@Sendable (inout MQTTConfiguration) -> Void])
    func problems(change: @Sendable (inout MQTTConfiguration) -> Void) {
        var configuration = MQTTConfiguration(host: "h", port: 1883, clientID: "c")
        #expect(configuration.problem() == nil)
        change(&configuration)
        #expect(configuration.problem() != nil)
    }

    @Test(
        "the packet size is exact",
        arguments: [
            (MQTTMessage(topic: "t", payload: []), 6, 5), (MQTTMessage(topic: "t", payload: [1], qos: .atLeastOnce), 9, 8),
            (MQTTMessage(topic: "t", payload: Array(repeating: 0, count: 121)), 127, 126),
            (MQTTMessage(topic: "t", payload: Array(repeating: 0, count: 124)), 131, 129),
            (MQTTMessage(topic: "t", payload: Array(repeating: 0, count: 125)), 132, 131),
            (MQTTMessage(topic: "t", payload: [], properties: .init(isUTF8: true, messageExpirySeconds: 1)), 13, 5),
            (
                MQTTMessage(
                    topic: "t", payload: [],
                    properties: .init(responseTopic: "r", correlationData: [1, 2], contentType: "x/y", userProperties: [.init("a", "bc")])),
                29, 5
            ),
        ])
    func packetSize(message: MQTTMessage, version5: Int, version311: Int) {
        var sizes: [Int] = []
        MQTTBatch(message).forEach { sizes += [$0.size(version: .v5), $0.size(version: .v311)] }
        #expect(sizes == [version5, version311])
    }

    @Test("a batch keeps the buffer of a few statuses, not that of a fleet", arguments: [(1, true), (100, false)])
    func keptBuffer(statuses: Int, isKept: Bool) {
        var batch = MQTTBatch()
        for _ in 0..<statuses { batch.append(MQTTMessage(topic: "t", payload: Array(repeating: 0, count: 5_000)), token: 0) }
        let capacity = batch.capacity
        batch.removeAll()
        #expect(batch.isEmpty && batch.capacity == (isKept ? capacity : 0))
    }

    @Test("topics and response topics of up to 200 levels are taken", arguments: [(199, true), (200, false)])
    func levels(slashes: Int, isTaken: Bool) {
        let topic = String(repeating: "/", count: slashes)
        let message = MQTTMessage(topic: topic, payload: [])
        #expect((message.fault() == nil) == isTaken)
        MQTTBatch(message).forEach { #expect(($0.refusal(version: .v5, limit: nil) == nil) == isTaken) }
        #expect((MQTTProperties(responseTopic: topic).fault() == nil) == isTaken)
    }

    @Test(
        "codes of an MQTT 3.1.1 CONNACK become reason codes",
        arguments: [(1, 132), (2, 133), (3, 136), (4, 134), (5, 135), (6, 6), (151, 151)] as [(UInt8, UInt8)])
    func connectReturnCodes(code: UInt8, reason: UInt8) {
        #expect(MQTTReasonCode(connectReturnCode: code).rawValue == reason)
    }

    @Test("unknown codes keep their number")
    func unknownCodes() {
        #expect("\(MQTTReasonCode(rawValue: 200))" == "200")
        #expect("\(MQTTReasonCode.notAuthorized)" == "135 (not authorized)")
        #expect("\(MosquittoResult(rawValue: 77))" == "77")
        #expect("\(MosquittoResult.connectionLost)" == "7 (connection lost)")
    }

    @Test("subscription options are the bits of the protocol")
    func options() {
        #expect(MQTTSubscription(filter: "a").options == 0)
        #expect(MQTTSubscription(filter: "a", noLocal: true, retainAsPublished: true, retainHandling: .doNotSend).options == 0x2C)
        #expect(MQTTSubscription(filter: "a", retainHandling: .sendIfNew).options == 0x10)
    }

    @Test(
        "milliseconds are rounded up",
        arguments: [(Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(5), 5), (.microseconds(5001), 6)] as [(Duration, Int64)])
    func milliseconds(duration: Duration, expected: Int64) {
        #expect(duration.wholeMilliseconds == expected)
    }
}
