import CastModels
import CastProtocol
import NIOCore
import Testing

@testable import CastSender

@Suite struct SessionStateMachineTests {
    /// `watching` is connected invisibly; `held` had a command that ended at 0 s; `ours` runs what we launched.
    enum State: CaseIterable { case unread, idle, unready, asking, watching, commanding, held, ours }

    enum Event: CaseIterable {
        case nothingRuns, sameApplication, changedText, otherSession, mediaStatus, foreignMediaStatus, mediaUnanswered, closedByApplication,
            closedByPlatform, closedByOther, commandBegan, commandEnded, earlyTick, tick
    }

    private static func status(_ session: String?, namespaces: [String] = [CastNamespace.media], text: String = "text") -> ReceiverStatus {
        guard let session else { return ReceiverStatus() }
        return ReceiverStatus(
            application: ReceiverApplication(
                applicationID: "A", statusText: text, sessionID: session, transportID: "t-\(session)", namespaces: namespaces))
    }

    private static func machine(_ state: State) -> SessionStateMachine {
        var identity = IdentityCheck(expected: nil, isEurekaWanted: false, isEurekaTrusted: true)
        _ = identity.start()
        _ = identity.answered(DeviceInformation(id: "aa"), to: .deviceInformation)
        var machine = SessionStateMachine(
            identity: identity,
            memory: SessionMemory(participation: state == .ours ? Participation(sessionID: "s", isLaunched: true) : nil))
        switch state {
        case .unread: return machine
        case .idle: _ = machine.receiverStatus(Self.status(nil), now: .seconds(0))
        case .unready: _ = machine.receiverStatus(Self.status("s", namespaces: []), now: .seconds(0))
        case .asking: _ = machine.receiverStatus(Self.status("s"), now: .seconds(0))
        case .watching, .commanding, .held, .ours:
            _ = machine.receiverStatus(Self.status("s"), now: .seconds(0))
            _ = machine.mediaStatus([Self.playing], from: "t-s", isBroadcast: false, now: .seconds(0))
        }
        if state == .commanding || state == .held { _ = machine.change { $0.commandBegan(now: .seconds(0)) } }
        if state == .held { _ = machine.change { $0.commandEnded(now: .seconds(0)) } }
        return machine
    }

    private static var playing: MediaStatusUpdate {
        var update = MediaStatusUpdate(mediaSessionID: 1, playerState: .playing)
        update.media = MediaInformation(contentID: "x")
        return update
    }

    private static func send(_ event: Event, to machine: inout SessionStateMachine) -> [SessionStateMachine.Effect] {
        switch event {
        case .nothingRuns: machine.receiverStatus(Self.status(nil), now: .seconds(1))
        case .sameApplication: machine.receiverStatus(Self.status("s"), now: .seconds(1))
        case .changedText: machine.receiverStatus(Self.status("s", text: "other"), now: .seconds(1))
        case .otherSession: machine.receiverStatus(Self.status("z"), now: .seconds(1))
        case .mediaStatus: machine.mediaStatus([Self.playing], from: "t-s", isBroadcast: true, now: .seconds(1))
        case .foreignMediaStatus: machine.mediaStatus([Self.playing], from: "t-old", isBroadcast: true, now: .seconds(1))
        case .mediaUnanswered: machine.mediaStatusUnanswered(by: "t-s")
        case .closedByApplication: machine.virtualConnectionClosed(by: "t-s", now: .seconds(1))
        case .closedByPlatform: machine.virtualConnectionClosed(by: "receiver-0", now: .seconds(1))
        case .closedByOther: machine.virtualConnectionClosed(by: "t-old", now: .seconds(1))
        case .commandBegan: machine.change { $0.commandBegan(now: .seconds(0)) }
        case .commandEnded: machine.change { $0.commandEnded(now: .seconds(1)) }
        case .earlyTick: machine.change { $0.tick(now: .seconds(4.9)) }
        case .tick: machine.change { $0.tick(now: .seconds(5)) }
        }
    }

    private static func describe(_ effect: SessionStateMachine.Effect) -> String { self.describe(effect, media: nil) }

    /// - Parameter media: the machine's, which effects about media refer to.
    private static func describe(_ effect: SessionStateMachine.Effect, media: MediaStatus?) -> String {
        switch effect {
        case .connectPlatform: "connect platform"
        case .askReceiverStatus: "ask receiver"
        case .ask: "ask identity"
        case .connect(let id, let kind): "connect \(id) \(kind == .strong ? "strong" : "invisible")"
        case .disconnect(let id): "disconnect \(id)"
        case .abandon(let id): "abandon \(id)"
        case .askMediaStatus(let id): "ask media \(id)"
        case .observeReceiver: "observe receiver"
        case .observeMedia: media == nil ? "observe no media" : "observe media"
        case .reportReceiver: "receiver"
        case .reportMedia: media == nil ? "no media" : "media"
        case .endLaunch: "end launch"
        case .stopApplication(let id): "stop \(id)"
        case .reportApplication(let session): "\(session.role) \(session.connection)\(session.isLaunched ? " launched" : "")"
        case .identified: "identified"
        case .becomeReady: "ready"
        case .fail: "fail"
        }
    }

    private static let drop = ["no media", "observe no media", "abandon t-s"]
    private static let connectZ = ["connect t-z invisible", "ask media t-z", "watched invisible", "observe receiver"]
    private static let connectS = ["connect t-s invisible", "ask media t-s", "watched invisible", "observe receiver"]
    private static let platform: [Event: [String]] = [.closedByPlatform: ["connect platform", "ask receiver"]]

    private static func watched(_ more: [Event: [String]]) -> [Event: [String]] {
        let common: [Event: [String]] = [
            .nothingRuns: ["receiver"] + drop + ["none none", "observe receiver"], .sameApplication: ["receiver", "observe receiver"],
            .changedText: ["receiver", "ask media t-s", "observe receiver"],
            .otherSession: ["receiver"] + drop + ["watched none", "observe receiver"],
            .mediaStatus: ["media", "observe media"], .closedByApplication: drop + ["ask receiver", "watched none"],
            .commandBegan: ["disconnect t-s", "connect t-s strong", "watched strong"], .commandEnded: ["ask media t-s"],
        ]
        return common.merging(self.platform) { $1 }.merging(more) { $1 }
    }

    /// The result of each event in each state; an event that is not listed does nothing.
    private static let table: [State: [Event: [String]]] = [
        .unread: [
            .nothingRuns: ["receiver", "observe receiver", "ready"], .sameApplication: ["receiver"] + connectS,
            .changedText: ["receiver"] + connectS, .otherSession: ["receiver"] + connectZ,
        ].merging(platform) { $1 },
        // An application that appears is left alone at first.
        .idle: [
            .nothingRuns: ["receiver", "observe receiver"], .sameApplication: ["receiver", "watched none", "observe receiver"],
            .changedText: ["receiver", "watched none", "observe receiver"],
            .otherSession: ["receiver", "watched none", "observe receiver"],
        ].merging(platform) { $1 },
        .unready: [
            .nothingRuns: ["receiver", "none none", "observe receiver"], .sameApplication: ["receiver"] + connectS,
            .changedText: ["receiver"] + connectS, .otherSession: ["receiver", "watched none", "observe receiver"],
        ].merging(platform) { $1 },
        .asking: [
            .nothingRuns: ["receiver", "observe no media", "abandon t-s", "none none", "observe receiver", "ready"],
            .sameApplication: ["receiver", "observe receiver"], .changedText: ["receiver", "observe receiver"],
            .otherSession: ["receiver", "observe no media", "abandon t-s", "watched none", "observe receiver", "ready"],
            .mediaStatus: ["media", "observe media", "ready"], .mediaUnanswered: ["ready"],
            .closedByApplication: ["observe no media", "abandon t-s", "ask receiver", "watched none"],
            .commandBegan: ["disconnect t-s", "connect t-s strong", "watched strong"],
        ].merging(platform) { $1 },
        .watching: watched([:]),
        .commanding: watched([
            .commandBegan: []
        ]),
        .held: watched([
            .commandBegan: [],
            .tick: ["disconnect t-s", "connect t-s invisible", "watched invisible"],
        ]),
        .ours: watched([
            .commandBegan: [],
            .closedByApplication: ["no media", "observe no media", "abandon t-s", "ask receiver", "ours none launched"],
        ]),
    ]

    @Test("every event is handled in every state", arguments: State.allCases, Event.allCases)
    func table(state: State, event: Event) {
        // A command can only end where one began.
        if event == .commandEnded, ![.commanding, .watching, .ours].contains(state) { return }
        var machine = Self.machine(state)
        if event == .commandEnded, state != .commanding { _ = machine.change { $0.commandBegan(now: .seconds(0)) } }
        let effects = Self.send(event, to: &machine)
        #expect(effects.map { Self.describe($0, media: machine.media) } == Self.table[state]?[event] ?? [])
    }

    @Test("a session begins with the platform, the identity and the status")
    func opened() {
        let identity = IdentityCheck(expected: nil, isEurekaWanted: true, isEurekaTrusted: true)
        var machine = SessionStateMachine(identity: identity)
        #expect(machine.opened().map(Self.describe) == ["connect platform", "ask identity", "ask identity", "ask receiver"])
    }

    @Test("an application that we launch is ours from its first status until its end")
    func ownership() {
        var machine = Self.machine(.watching)
        _ = machine.change { $0.launchBegan("A", now: .seconds(1)) }
        #expect(machine.application.isLaunching("A"))
        let effects = machine.receiverStatus(Self.status("z"), now: .seconds(2)).map(Self.describe)
        #expect(effects.contains("connect t-z strong"))
        #expect(effects.contains("ours strong launched"))
        #expect(machine.memory.participation == Participation(sessionID: "z", isLaunched: true))
        _ = machine.receiverStatus(Self.status("other"), now: .seconds(3))
        #expect(machine.memory.participation == nil)
        _ = machine.receiverStatus(Self.status("z"), now: .seconds(4))
        #expect(machine.memory.participation == nil)
    }

    @Test("a launch without a result for minutes owns no application")
    func forgottenLaunch() {
        var machine = Self.machine(.idle)
        _ = machine.change { $0.launchBegan("A", now: .seconds(0)) }
        _ = machine.receiverStatus(Self.status("z"), now: .seconds(200))
        #expect(machine.memory.participation == nil)
    }

    @Test("a strong connection is held while one of several commands runs")
    func overlappingCommands() {
        var machine = Self.machine(.watching)
        _ = machine.change { $0.commandBegan(now: .seconds(0)) }
        _ = machine.change { $0.commandBegan(now: .seconds(0)) }
        _ = machine.change { $0.commandEnded(now: .seconds(1)) }
        #expect(machine.application.holdUntil == nil)
        _ = machine.change { $0.commandEnded(now: .seconds(2)) }
        #expect(machine.application.holdUntil == .seconds(7))
    }

    @Test("a status without volume leaves the volume as it was")
    func volume() {
        var machine = Self.machine(.unread)
        _ = machine.receiverStatus(ReceiverStatus(volume: DeviceVolume(level: 0.4)), now: .seconds(0))
        _ = machine.receiverStatus(ReceiverStatus(), now: .seconds(1))
        #expect(machine.receiver?.volume?.level == 0.4)
    }

    @Test("the idle screen is no application to wait for")
    func idleScreen() {
        var machine = Self.machine(.unread)
        _ = machine.receiverStatus(
            ReceiverStatus(application: ReceiverApplication(applicationID: "E8C28D3C", isIdleScreen: true)), now: .seconds(0))
        #expect(machine.isReady)
        #expect(!machine.mayGetTransport(of: nil))
    }

    @Test("a status without its media is requested again")
    func missingMedia() {
        var machine = Self.machine(.asking)
        let update = MediaStatusUpdate(mediaSessionID: 1, playerState: .playing)
        #expect(
            machine.mediaStatus([update], from: "t-s", isBroadcast: true, now: .seconds(1)).map(Self.describe).contains("ask media t-s"))
        #expect(
            !machine.mediaStatus([update], from: "t-s", isBroadcast: true, now: .seconds(2)).map(Self.describe).contains("ask media t-s"))
    }

    @Test("a broadcast without its media, before the answer, does not make the session ready")
    func broadcastBeforeAnswer() {
        var machine = Self.machine(.asking)
        let part = MediaStatusUpdate(mediaSessionID: 1, playerState: .playing)
        for _ in 1...2 {
            #expect(!machine.mediaStatus([part], from: "t-s", isBroadcast: true, now: .seconds(1)).map(Self.describe).contains("ready"))
        }
        #expect(machine.usableTransport(of: nil) == nil)
        var answered = machine
        #expect(
            answered.mediaStatus([Self.playing], from: "t-s", isBroadcast: false, now: .seconds(1)).map(Self.describe).contains("ready"))
        var whole = machine
        #expect(whole.mediaStatus([Self.playing], from: "t-s", isBroadcast: true, now: .seconds(1)).map(Self.describe).contains("ready"))
        var unanswered = machine
        #expect(unanswered.mediaStatusUnanswered(by: "t-s").map(Self.describe) == ["ready"])
    }

    // MARK: - Joining and channels

    private static let custom = "urn:x-cast:example"

    private static func connections(_ effects: [SessionStateMachine.Effect]) -> [String] {
        effects.map(Self.describe).filter { $0.hasPrefix("connect ") || $0.hasPrefix("disconnect ") || $0.hasPrefix("ask media") }
    }

    private static func leave(_ machine: inout SessionStateMachine) -> [String]? {
        var hasLeft = true
        let effects = machine.change { application in
            let effects = application.leave(now: .seconds(1))
            hasLeft = effects != nil
            return effects ?? []
        }
        return hasLeft ? effects.map(self.describe) : nil
    }

    @Test("an application session that we join is kept as strongly as our own, until it ends")
    func join() {
        var machine = Self.machine(.watching)
        #expect(Self.connections(machine.change { $0.join("other", now: .seconds(1)) }) == [])
        #expect(Self.connections(machine.change { $0.join("s", now: .seconds(1)) }) == ["disconnect t-s", "connect t-s strong"])
        #expect(Self.connections(machine.change { $0.join("s", now: .seconds(1)) }) == [])
        #expect(machine.change { $0.tick(now: .seconds(100)) } == [])
        #expect(machine.memory.participation == Participation(sessionID: "s"))
        _ = machine.receiverStatus(Self.status("z"), now: .seconds(2))
        #expect(machine.memory.participation == nil)
        _ = machine.change { $0.tick(now: .seconds(3)) }
        #expect(machine.transport?.kind == .invisible)
    }

    @Test("a run that we joined over a former link is joined from the start")
    func joinedBefore() {
        var machine = SessionStateMachine(
            identity: IdentityCheck(expected: nil, isEurekaWanted: false, isEurekaTrusted: true),
            memory: SessionMemory(participation: Participation(sessionID: "s")))
        let effects = machine.receiverStatus(Self.status("s"), now: .seconds(0)).map(Self.describe)
        #expect(effects.contains("connect t-s strong") && effects.contains("joined strong"))
        #expect(machine.memory.participation == Participation(sessionID: "s"))
        _ = machine.receiverStatus(Self.status("z"), now: .seconds(1))
        #expect(machine.memory.participation == nil)
    }

    @Test("a run that we leave runs on and is only watched, at once, or as soon as a command has ended")
    func leave() {
        for isLaunched in [true, false] {
            var machine = Self.machine(.watching)
            let launched = isLaunched ? " launched" : ""
            #expect(Self.leave(&machine) == nil)
            _ = machine.change { $0.join("s", isLaunched: isLaunched, now: .seconds(1)) }
            #expect(Self.leave(&machine) == ["disconnect t-s", "connect t-s invisible", "watched invisible\(launched)"])
            // A later link must not join it again.
            let left = Participation(sessionID: "s", isLaunched: isLaunched, isHeld: false)
            #expect(machine.memory.participation == left && Self.leave(&machine) == nil)
            _ = machine.change { $0.join("s", isLaunched: isLaunched, now: .seconds(1)) }
            _ = machine.change { $0.commandBegan(now: .seconds(1)) }
            #expect(Self.leave(&machine) == ["watched strong\(launched)"])
            _ = machine.change { $0.commandEnded(now: .seconds(2)) }
            #expect(Self.connections(machine.change { $0.tick(now: .seconds(7)) }) == ["disconnect t-s", "connect t-s invisible"])
        }
        // Without a player there is nothing to watch.
        var machine = Self.machine(.unread)
        _ = machine.receiverStatus(Self.status("s", namespaces: [Self.custom]), now: .seconds(1))
        #expect(machine.change { $0.join("s", now: .seconds(1)) }.map(Self.describe) == ["connect t-s strong", "joined strong"])
        #expect(Self.leave(&machine) == ["disconnect t-s", "observe no media", "abandon t-s", "watched none"])
        #expect(machine.transport == nil)
    }

    @Test("a run that we launched over a former link is ours again")
    func joinOwned() {
        var machine = Self.machine(.watching)
        #expect(machine.change { $0.join("s", isLaunched: true, now: .seconds(1)) }.map(Self.describe).last == "ours strong launched")
        #expect(machine.memory.participation == Participation(sessionID: "s", isLaunched: true))
    }

    @Test("an application without a player is connected to for a channel, and never taken for a player")
    func channelWithoutMedia() {
        var machine = Self.machine(.unread)
        #expect(Self.connections(machine.receiverStatus(Self.status("s", namespaces: [Self.custom]), now: .seconds(1))) == [])
        #expect(machine.isReady)
        #expect(machine.channelTransport(Self.custom) == nil)
        let effects = machine.change { $0.channelsChanged([Self.custom], now: .seconds(1)) }
        #expect(Self.connections(effects) == ["connect t-s strong"])
        #expect(machine.channelTransport(Self.custom)?.id == "t-s")
        #expect(machine.usableTransport(of: nil) == nil)
        #expect(!machine.mayGetTransport(of: nil))
        #expect(machine.change { $0.commandEnded(now: .seconds(1)) } == [])
        // It gets a player after all.
        let later = machine.receiverStatus(Self.status("s", namespaces: [Self.custom, CastNamespace.media]), now: .seconds(2))
        #expect(Self.connections(later) == ["ask media t-s"])
        _ = machine.mediaStatus([Self.playing], from: "t-s", isBroadcast: true, now: .seconds(2))
        #expect(machine.usableTransport(of: nil)?.id == "t-s")
    }

    @Test("a channel makes the connection strong while it is open, and for 5 s after")
    func channelHolds() {
        var machine = Self.machine(.unread)
        _ = machine.receiverStatus(Self.status("s", namespaces: [Self.custom, CastNamespace.media]), now: .seconds(1))
        #expect(machine.transport?.kind == .invisible)
        #expect(
            Self.connections(machine.change { $0.channelsChanged([Self.custom], now: .seconds(1)) }) == [
                "disconnect t-s", "connect t-s strong",
            ])
        #expect(Self.connections(machine.change { $0.channelsChanged(["urn:x-cast:else"], now: .seconds(10)) }) == [])
        #expect(machine.application.holdUntil == .seconds(15))
        #expect(Self.connections(machine.change { $0.tick(now: .seconds(15)) }) == ["disconnect t-s", "connect t-s invisible"])
        #expect(machine.channelTransport("urn:x-cast:else") == nil)
    }

    @Test("a channel whose application ends has no way to it, and gets one when it runs again")
    func channelFollows() {
        var machine = Self.machine(.unread)
        _ = machine.change { $0.channelsChanged([Self.custom], now: .seconds(0)) }
        _ = machine.receiverStatus(Self.status("s", namespaces: [Self.custom]), now: .seconds(1))
        #expect(machine.channelTransport(Self.custom)?.id == "t-s")
        _ = machine.receiverStatus(Self.status(nil), now: .seconds(2))
        #expect(machine.channelTransport(Self.custom) == nil)
        _ = machine.receiverStatus(Self.status("z", namespaces: [Self.custom]), now: .seconds(3))
        _ = machine.change { $0.tick(now: .seconds(4)) }
        #expect(machine.channelTransport(Self.custom)?.id == "t-z")
    }

    // MARK: - Refused connections

    @Test("an application that closes our connections is tried again after 1, 3, 10 and 30 s, and anew when it shows life")
    func refused() {
        var machine = Self.machine(.watching)
        func close(at second: Double) -> [String] {
            Self.connections(machine.virtualConnectionClosed(by: "t-s", now: .seconds(second)))
        }
        func tick(at second: Double) -> [String] { Self.connections(machine.change { $0.tick(now: .seconds(second)) }) }
        let attempt = ["connect t-s invisible", "ask media t-s"]
        #expect(close(at: 0.1) == [])
        for second in [1.0, 3, 10, 30] {
            #expect(machine.application.nextDeadline == .seconds(second))
            #expect(Self.connections(machine.receiverStatus(Self.status("s"), now: .seconds(second - 0.5))) == [])
            #expect(tick(at: second) == attempt)
            #expect(machine.application.session.connection == .invisible)
            #expect(close(at: second + 0.1) == [])
            #expect(machine.application.session == ApplicationSession(.watched, id: "s"))
        }
        #expect(machine.application.nextDeadline == nil && !machine.mayGetTransport(of: nil))
        // Its entry in the device's status changes.
        #expect(Self.connections(machine.receiverStatus(Self.status("s", text: "new"), now: .seconds(100))) == attempt)
        #expect(close(at: 100.1) == [])
        #expect(machine.application.nextDeadline == .seconds(101))
        // A late message of it, which is no reason for more than one attempt a second.
        #expect(Self.connections(machine.mediaStatus([Self.playing], from: "t-s", isBroadcast: true, now: .seconds(100.2))) == [])
        #expect(machine.application.nextDeadline == .seconds(101))
        // A user's command.
        #expect(Self.connections(machine.change { $0.connectAgain(now: .seconds(200)) }) == attempt)
        // A message arrives over this connection, so its later end starts a new series of attempts.
        _ = machine.mediaStatus([Self.playing], from: "t-s", isBroadcast: false, now: .seconds(200.1))
        #expect(close(at: 300) == [])
        #expect(Self.connections(machine.receiverStatus(Self.status("s", text: "new"), now: .seconds(300.1))) == attempt)
    }

    // MARK: - Launches that wait for permission

    @Test(
        "a launch that waits for permission is left or given up at once, and what starts later is treated accordingly",
        arguments: [ApplicationStateMachine.Launch.Phase.left, .unwanted, .abandoned])
    func permission(phase: ApplicationStateMachine.Launch.Phase) {
        var machine = Self.machine(.idle)
        #expect(machine.change { $0.launchBegan("A", now: .seconds(1)) }.map(Self.describe) == ["launching none"])
        #expect(machine.change { $0.permission(isAsking: true) }.map(Self.describe) == ["waitingForPermission none"])
        let ended = machine.change { $0.launchGivenUp(phase) }.map(Self.describe)
        #expect(ended == (phase == .abandoned ? ["none none"] : ["end launch", "none none"]))
        let started = machine.receiverStatus(Self.status("z"), now: .seconds(60)).map(Self.describe)
        switch phase {
        case .left: #expect(started.contains("watched invisible launched"))
        case .unwanted: #expect(started.contains("stop z") && machine.application.session.role == .stopping)
        default: #expect(started.contains("ours strong launched"))
        }
    }

    @Test("an application that stays silent after we connected is connected to again after a launch, and no other")
    func revived() {
        for isSilent in [true, false] {
            var machine = Self.machine(.asking)
            if !isSilent { _ = machine.mediaStatus([Self.playing], from: "t-s", isBroadcast: false, now: .seconds(1)) }
            #expect(machine.transport?.isSilent(at: .seconds(4.9)) == false)
            #expect(machine.transport?.isSilent(at: .seconds(5)) == isSilent)
            _ = machine.change { $0.launchBegan("A", now: .seconds(6)) }
            let effects = Self.connections(machine.change { $0.launchEnded(now: .seconds(7)) })
            #expect(effects == (isSilent ? ["disconnect t-s", "connect t-s invisible", "ask media t-s"] : []))
        }
    }
}
