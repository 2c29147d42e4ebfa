import CastModels
import TestSupport
import Testing

@testable import BridgeCore

/// Only the documents that `reduce` names are formed again, so one that it omits would stay old on the broker.
@Suite("The documents that an event changes")
struct ChangedDocumentsTests {
    /// The topics whose messages differ.
    private static func differing(_ former: [OutgoingMessage], _ current: [OutgoingMessage]) -> Set<String> {
        let former = Dictionary(uniqueKeysWithValues: former.map { ($0.topic, $0) })
        return Set(current.filter { former.count != current.count || former[$0.topic] != $0 }.map(\.topic))
    }

    private static func named(_ outputs: [DeviceOutput]) -> DeviceDocuments {
        outputs.reduce(into: []) { named, output in if case .changed(let documents) = output { named.formUnion(documents) } }
    }

    /// Something that may happen to a device, likely and unlikely.
    private static func event(_ fixture: StateFixture, _ random: inout SeededGenerator) -> DeviceEvent {
        func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .connecting
        case 1: return .linkLost
        case 2, 3: return .ready(self.receiver(one), one([nil, self.status(fixture, one)]))
        case 4, 5, 6: return .receiverStatus(self.receiver(one))
        case 7:
            return .application(
                ApplicationSession(
                    one(ApplicationSession.Role.allCases), id: one([nil, "4f0c", "4f0d"]), connection: one([.none, .invisible, .strong]),
                    isLaunched: one([true, false])))
        case 8: return .loadRequested
        case 9: return .loadEnded(failure: one([nil, "load_failed"]))
        case 10: return one([.commandSucceeded, .commandFailed(code: "timeout")])
        case 11: return .identified(DeviceDetails(firmware: one(["1", "2"]), macAddress: one([nil, "aa:bb:cc:dd:ee:ff"])))
        case 12:
            var device = StateFixture.livingRoom
            device.friendlyName = one(["Living Room", "Parlour"])
            return .deviceChanged(device)
        case 13: return .timer
        default: return .mediaStatus(self.status(fixture, one))
        }
    }

    private static func receiver(_ one: ([Int]) -> Int) -> ReceiverStatus {
        let applications = [StateFixture.defaultMediaReceiver, StateFixture.backdrop, StateFixture.dashboard, nil]
        var application = applications[one([0, 0, 0, 1, 2, 3])]
        if one([0, 1]) == 1 { application?.statusText = "Now casting" }
        let volumes = [nil, DeviceVolume(level: 0.5, isMuted: true), DeviceVolume(level: 0.2, isMuted: false, controlType: .fixed)]
        return StateFixture.receiver(
            application, standby: one([0, 1]) == 1, activeInput: one([0, 1]) == 1, volume: volumes[one([0, 1, 2])])
    }

    private static func status(_ fixture: StateFixture, _ one: ([Int]) -> Int) -> MediaStatus {
        let states: [PlayerState] = [.playing, .playing, .paused, .buffering, .loading, .idle, .unknown("X")]
        let reasons: [IdleReason?] = [.finished, .cancelled, .interrupted, .error, nil]
        let player = states[one(Array(states.indices))]
        let time: Double? = [nil, 0, 63.2, 120][one([0, 1, 2, 3])]
        return fixture.status(
            player, session: one([7, 7, 8]), time: time, media: [nil, StateFixture.song(1), StateFixture.song(2)][one([0, 1, 1, 2])]
        ) {
            if player == .idle { $0.idleReason = reasons[one(Array(reasons.indices))] }
            if one([0, 1, 2]) == 0 { StateFixture.queue(3, current: one([1, 2, 3]), .all)(&$0) }
            if one([0, 1, 2, 3]) == 0 {
                $0.liveSeekableRange = LiveSeekableRange(start: 0, end: Double(one([60, 600])), isLiveDone: one([0, 1]) == 1)
            }
            if one([0, 1, 2, 3]) == 0 {
                $0.adBreakStatus = AdBreakStatus(breakID: "b", breakClipID: "c", currentBreakClipTime: 1, whenSkippable: 5)
            }
            if one([0, 1, 2]) == 0 {
                $0.queueData = MediaQueueData()
                $0.queueData?.name = ["Night", "Day"][one([0, 1])]
            }
            if one([0, 1, 2]) == 0 { $0.streamVolume = DeviceVolume(level: 0.5, isMuted: false) }
            if one([0, 1, 2]) == 0 { $0.videoInfo = VideoInfo(width: 1920, height: one([1080, 720])) }
            $0.playbackRate = [nil, 1, 1.5][one([0, 1, 2])]
        }
    }

    @Test("are among those that it names", arguments: 0..<120)
    func namesThemAll(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        for step in 0..<200 {
            fixture.seconds += [0, 0.3, 2, 11][Int.random(in: 0..<4, using: &random)]
            let former = fixture.mapper.messages(for: fixture.state)
            let event = Self.event(fixture, &random)
            let outputs = fixture.state.reduce(event, at: fixture.now, options: fixture.options)
            let named = fixture.mapper.messages(for: fixture.state, documents: Self.named(outputs))
            let forgotten = Self.differing(former, fixture.mapper.messages(for: fixture.state)).subtracting(named.map(\.topic))
            #expect(forgotten == [], "step \(step): \(event)")
            guard forgotten == [] else { return }
        }
    }

    private static func standing(_ isMember: Bool) -> GroupStanding {
        var standing = GroupStanding()
        if isMember { standing.memberships = [.init(id: "g", slug: "g", name: "Group", isPlaying: true, isOpen: true)] }
        return standing
    }

    /// The event with a track, an ad break, other commands, or an application's data of which the documents' texts may be too long to be kept.
    private static func embellished(_ event: DeviceEvent, _ random: inout SeededGenerator) -> DeviceEvent {
        guard case .mediaStatus(var status?) = event else { return event }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: status.customData = .string(String(repeating: "x", count: 8000))
        case 1: status.customData = .string("x")
        case 2: status.media?.tracks = [MediaTrack(trackID: 3, type: .audio)]
        case 3: status.activeTrackIDs = [3]
        case 4: status.media?.adBreaks = [AdBreak(id: "b", position: 3)]
        default: status.supportedMediaCommands = [.pause, .queueNext]
        }
        return .mediaStatus(status)
    }

    @Test("have the same bytes whether or not parts of them are kept as text", arguments: 0..<30)
    func keptTexts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var fixture = StateFixture()
        fixture.mapper = TopicMapper(
            tree: fixture.mapper.tree, options: .init(instance: "home", status: StatusOptions { $0.includesCustomData = true }))
        var group = StateFixture(StateFixture.group)
        group.connect(media: fixture.status(.playing, media: StateFixture.song(2)))
        let playback = GroupPlayback(group.state)
        let texts = DocumentTexts()
        for step in 0..<200 {
            var event = Self.event(fixture, &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: event = .group(Self.standing(Bool.random(using: &random)), Bool.random(using: &random) ? playback : nil)
            case 1: event = .queue(MediaQueueWindow(mediaSessionID: 7, firstIndex: 0, itemCount: 9, items: [MediaQueueItem(itemID: 2)]))
            case 2, 3, 4: event = Self.embellished(event, &random)
            default: break
            }
            fixture.seconds += 0.3
            _ = fixture.state.reduce(event, at: fixture.now, options: fixture.options)
            var batch = MessageBatch()
            fixture.mapper.write([.state, .media], of: fixture.state, at: Timestamp(milliseconds: 0), texts, to: &batch)
            let kept = batch.messages.map { [UInt8](batch.bytes(in: $0.payload)) }
            batch.removeAll()
            fixture.mapper.write([.state, .media], of: fixture.state, at: Timestamp(milliseconds: 0), DocumentTexts(), to: &batch)
            let written = batch.messages.map { [UInt8](batch.bytes(in: $0.payload)) }
            #expect(kept == written, "step \(step): \(event)")
            guard kept == written else { return }
        }
    }
}
