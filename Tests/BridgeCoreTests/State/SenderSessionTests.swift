import CastModels
import Testing

@testable import BridgeCore

@Suite("The session of the bridge with an application")
struct SenderSessionTests {
    private static let joined = ApplicationConnection(.strong, isJoined: true)
    private static let ours = ApplicationConnection(.strong, isOurs: true)
    private static let watched = ApplicationConnection(.invisible)

    /// The state after the steps, and the event of the last one with its reason.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [DeviceEvent]
        var phase: String
        var event: String?
        var ours = false
    }

    private static func shows(_ application: ReceiverApplication?) -> DeviceEvent { .receiverStatus(StateFixture.receiver(application)) }

    private static var secondRun: ReceiverApplication {
        var application = StateFixture.defaultMediaReceiver
        application.sessionID = "4f0d"
        return application
    }

    static let cases: [Case] = [
        Case(testDescription: "watching", steps: [.applicationConnection(watched)], phase: "none"),
        Case(testDescription: "joined", steps: [.applicationConnection(joined)], phase: "connected", event: "session_started"),
        Case(testDescription: "launched", steps: [.applicationConnection(ours)], phase: "connected", event: "session_started", ours: true),
        Case(
            testDescription: "known from an earlier run", steps: [.applicationConnection(ours, isFirst: true)], phase: "connected",
            event: "session_resumed", ours: true),
        Case(
            testDescription: "connected differently", steps: [.applicationConnection(joined), .applicationConnection(ours)],
            phase: "connected"),
        Case(testDescription: "launching", steps: [.launchRequested], phase: "connecting"),
        Case(testDescription: "launch failed", steps: [.launchRequested, .launchEnded], phase: "none"),
        Case(testDescription: "launch cut off", steps: [.launchRequested, .linkLost], phase: "none"),
        Case(
            testDescription: "launched by command", steps: [.launchRequested, .applicationConnection(ours), .launchEnded],
            phase: "connected"),
        Case(
            testDescription: "left", steps: [.applicationConnection(joined), .applicationConnection(watched)], phase: "none",
            event: "session_ended left"),
        Case(
            testDescription: "quit", steps: [.applicationConnection(ours), .applicationStopped, shows(StateFixture.backdrop)],
            phase: "none", event: "session_ended quit", ours: true),
        Case(
            testDescription: "ended by others", steps: [.applicationConnection(joined), shows(StateFixture.backdrop)], phase: "none",
            event: "session_ended ended"),
        Case(
            testDescription: "ended with nothing after it", steps: [.applicationConnection(joined), shows(nil)], phase: "none",
            event: "session_ended ended"),
        Case(
            testDescription: "replaced", steps: [.applicationConnection(joined), shows(StateFixture.dashboard)], phase: "none",
            event: "session_ended replaced"),
        Case(
            testDescription: "replaced by another run", steps: [.applicationConnection(joined), shows(secondRun)], phase: "none",
            event: "session_ended replaced"),
        Case(
            testDescription: "replaced by a launch",
            steps: [.applicationConnection(ours), .launchRequested, shows(StateFixture.dashboard)],
            phase: "connecting", event: "session_ended replaced", ours: true),
        Case(
            testDescription: "another application ends", steps: [.applicationConnection(watched), shows(StateFixture.backdrop)],
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
            fixture.after(.applicationConnection(Self.joined))
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
            // Reported before the device was read.
            fixture.after(.applicationConnection(isLasting ? Self.joined : Self.watched))
            #expect(Self.describe(fixture.takeOutputs()).text == nil)
            fixture.after(.ready(StateFixture.receiver(isLasting ? StateFixture.defaultMediaReceiver : StateFixture.backdrop), nil))
            fixture.after(.applicationConnection(isLasting ? Self.joined : ApplicationConnection(.none), isFirst: true))
            #expect(Self.describe(fixture.takeOutputs()).text == (isLasting ? "session_resumed" : "session_ended ended"))
            #expect(Self.phase(fixture) == (isLasting ? "connected" : "none"))
        }
    }

    @Test("begins with a launch where the application does not run, or is launched again")
    func launches() {
        var fixture = StateFixture()
        fixture.connect()
        let again = LaunchOptions(relaunchIfRunning: true)
        let cases: [(DeviceCommand, Bool)] = [
            (.launch(applicationID: "CC1AD845"), false), (.launch(applicationID: "CC1AD845", options: again), true),
            (.launch(applicationID: "5A1D0001"), true), (.load(LoadCommand(request: MediaLoadRequest(media: StateFixture.song))), false),
            (.queue(.load(QueueLoad(items: [], applicationID: "5A1D0001"))), true), (.join, false), (.play, false),
            (.show(WebPage(url: "http://h/")), true),
        ]
        for (command, isLaunch) in cases { #expect(fixture.state.needsLaunch(for: command) == isLaunch, "\(command)") }
    }
}
