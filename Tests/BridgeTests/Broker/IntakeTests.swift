import MQTTClient
import Testing

@testable import Bridge

@Suite("Messages that wait for the event loop")
struct IntakeTests {
    private static let kibibyte = 1024

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    enum Part: CaseIterable, Sendable { case payload, topic, responseTopic, correlationData, contentType, userProperties }

    /// A message of which one part is large.
    private static func message(_ part: Part, _ bytes: Int) -> MQTTMessage {
        var message = MQTTMessage(topic: "t", payload: [])
        switch part {
        case .payload: message.payload = Array(repeating: 0, count: bytes)
        case .topic: message.topic = Self.text(bytes)
        case .responseTopic: message.properties.responseTopic = Self.text(bytes)
        case .correlationData: message.properties.correlationData = Array(repeating: 0, count: bytes)
        case .contentType: message.properties.contentType = Self.text(bytes)
        case .userProperties: message.properties.userProperties = [MQTTUserProperty("", Self.text(bytes))]
        }
        return message
    }

    @Test("is bounded in bytes, whatever part of the messages they are in", arguments: Part.allCases)
    func bytes(part: Part) {
        let intake = Intake()
        let event = MQTTEvent.message(Self.message(part, 32 * Self.kibibyte), epoch: 1)
        let limit = Intake.maximumBytes / (32 * Self.kibibyte)
        let taken = (0..<limit + 10).count { _ in intake.admits(event) }
        #expect((limit - 1...limit).contains(taken))
        #expect(intake.dropped == limit + 10 - taken)
        for _ in 0..<taken { intake.took(event) }
        #expect((0..<limit + 10).count { _ in intake.admits(event) } == taken, "what was taken makes room")
    }

    @Test("counts empty user properties, which take more room in memory than on the wire")
    func emptyProperties() {
        let intake = Intake()
        var message = MQTTMessage(topic: "t", payload: [])
        message.properties.userProperties = Array(repeating: MQTTUserProperty("", ""), count: 10_000)
        let event = MQTTEvent.message(message, epoch: 1)
        #expect((0..<1000).count { _ in intake.admits(event) } < 100)
    }

    @Test("is bounded in messages; other events always pass")
    func messages() {
        let intake = Intake()
        let event = MQTTEvent.message(MQTTMessage(topic: "t", payload: []), epoch: 1)
        #expect((0..<20_000).count { _ in intake.admits(event) } == Intake.maximumMessages)
        #expect(intake.admits(.attemptFailed(MQTTLinkError(.stopped, detail: ""), retryIn: .zero)))
    }
}
