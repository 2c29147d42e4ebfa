import CastModels
import Testing

@testable import BridgeCore

@Suite("The session of the bridge with an application")
struct SenderSessionTests {
    private static let joined = ApplicationSession(.joined, id: "4f0c", connection: .strong)
    private static let ours = ApplicationSession(.ours, id: "4f0c", connection: .strong, isLaunched: true)
    private static let watched = ApplicationSession(.watched, id: "4f0c", connection: .invisible)
    private static let stopping = ApplicationSession(.stopping, id: "4f0c", connection: .strong, isLaunched: true)
    private static let launching = DeviceEvent.application(ApplicationSession(.launching, id: "4f0c", connection: .invisible))
    private static let asking = DeviceEvent.application(ApplicationSession(.waitingForPermission, id: "4f0c", connection: .invisible))

    /// The state after the steps, and the event of the last one with its reason.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [DeviceEvent]
        var phase: String
        var event: String?
        var ours = false
    }

    private static func shows(_ application: ReceiverApplication?) -> DeviceEvent { .receiverStatus(StateFixture.receiver(application)) }

    private static var ready: DeviceEvent { .ready(StateFixture.receiver(StateFixture.defaultMediaReceiver), nil) }

    private static var secondRun: ReceiverApplication {
        var application = StateFixture.defaultMediaReceiver
        application.sessionID = "4f0d"
        return application
    }

    static let cases: [Case] = [
        Case(testDescription: "watching", steps: [.application(watched)], phase: "none"),
        Case(testDescription: "joined", steps: [.application(joined)], phase: "connected", event: "session_started"),
        Case(testDescription: "launched", steps: [.application(ours)], phase: "connected", event: "session_started", ours: true),
        Case(
            testDescription: "known from an earlier run", steps: [ready, .application(ours)], phase: "connected",
            event: "session_resumed", ours: true),
        Case(
            testDescription: "connected differently", steps: [.application(joined), .application(ours)],
            phase: "connected"),
        Case(testDescription: "launching", steps: [launching], phase: "connecting"),
        Case(testDescription: "a person is asked", steps: [launching, asking], phase: "waiting_for_permission"),
        Case(testDescription: "a person has permitted it", steps: [launching, asking, launching], phase: "connecting"),
        Case(testDescription: "launch failed", steps: [launching, .application(watched)], phase: "none"),
        Case(testDescription: "launch cut off", steps: [launching, .linkLost], phase: "none"),
        Case(testDescription: "question cut off", steps: [asking, .linkLost], phase: "none"),
        Case(
            testDescription: "launched by command", steps: [launching, .application(ours)],
            phase: "connected", event: "session_started", ours: true),
        Case(testDescription: "stopping", steps: [.application(ours), .application(stopping)], phase: "connected"),
        Case(
            testDescription: "a stop that failed", steps: [.application(ours), .application(stopping), .application(ours)],
            phase: "connected"),
        Case(
            testDescription: "left", steps: [.application(joined), .application(watched)], phase: "none",
            event: "session_ended left"),
        Case(
            testDescription: "quit", steps: [.application(ours), .application(stopping), shows(StateFixture.backdrop)],
            phase: "none", event: "session_ended quit", ours: true),
        Case(
            testDescription: "ended by others", steps: [.application(joined), shows(StateFixture.backdrop)], phase: "none",
            event: "session_ended ended"),
        Case(
            testDescription: "ended with nothing after it", steps: [.application(joined), shows(nil)], phase: "none",
            event: "session_ended ended"),
        Case(
            testDescription: "replaced", steps: [.application(joined), shows(StateFixture.dashboard)], phase: "none",
            event: "session_ended replaced"),
        Case(
            testDescription: "replaced by another run", steps: [.application(joined), shows(secondRun)], phase: "none",
            event: "session_ended replaced"),
        Case(
            testDescription: "replaced by a launch",
            steps: [.application(ours), shows(StateFixture.dashboard)],
            phase: "none", event: "session_ended replaced", ours: true),
        Case(
            testDescription: "another application ends", steps: [.application(watched), shows(StateFixture.backdrop)],
            phase: "none"),
    ]

    private static func describe(_ outputs: [DeviceOutput]) -> (text: String?, ours: Bool?, event: PublishedEvent?) {
        let events = outputs.compactMap { if case .event(let event) = $0, event.kind.rawValue.hasPrefix("session_") { event } else { nil } }
        guard let event = events.first, events.count == 1 else { return (events.isEmpty ? nil : "several", nil, nil) }
        let reason = event.facts["reason"]?.stringValue.map { " " + $0 } ?? ""
        return (event.kind.rawValue + reason, event.facts["ours"]?.boolValue, event)
    }

    private static func phase(_ fixture: StateFixture) -> String? {
        fixture.payload("app").split(separator: #""phase":""#).last?.split(separator: "\"").first.map(String.init)
    }

    @Test("has its phase in the document `app`, and an event for each change", arguments: cases)
    func table(step: Case) throws {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.application(Self.watched))
        var last: [DeviceOutput] = []
        for event in step.steps { last = fixture.after(event) }
        #expect(Self.phase(fixture) == step.phase)
        let reported = Self.describe(last)
        #expect(reported.text == step.event)
        guard step.event != nil else { return }
        #expect(reported.ours == step.ours)
        #expect(reported.event?.facts["session"] == "4f0c" && reported.event?.app == "Default Media Receiver")
    }

    @Test("is suspended while the device is offline, and continues or ends when it is online again")
    func outage() {
        for isLasting in [true, false] {
            var fixture = StateFixture()
            fixture.connect()
            fixture.after(.application(Self.watched))
            fixture.after(.application(Self.joined))
            fixture.outputs = []
            fixture.after(.linkLost)
            #expect(Self.phase(fixture) == "connected", "within the grace nothing is reported")
            fixture.wait(5)
            #expect(Self.describe(fixture.takeOutputs()).text == "session_suspended")
            #expect(Self.phase(fixture) == "suspended")
            fixture.after(.connecting)
            #expect(Self.phase(fixture) == "suspended")
            #expect(
                fixture.after(.identified(DeviceDetails(firmware: "2"))).contains {
                    if case .changed(let names) = $0 { names.contains(.app) } else { false }
                })
            #expect(Self.phase(fixture) == "resuming")
            fixture.after(.linkLost)
            #expect(Self.phase(fixture) == "suspended")
            fixture.after(.connecting)
            fixture.after(.identified(DeviceDetails(firmware: "3")))
            fixture.after(.ready(StateFixture.receiver(isLasting ? StateFixture.defaultMediaReceiver : StateFixture.backdrop), nil))
            fixture.after(.application(isLasting ? Self.joined : ApplicationSession()))
            #expect(Self.describe(fixture.takeOutputs()).text == (isLasting ? "session_resumed" : "session_ended ended"))
            #expect(Self.phase(fixture) == (isLasting ? "connected" : "none"))
        }
    }
}
