import CastModels
import Testing

@testable import CastSender

@Suite struct SessionLifecycleTests {
    enum State: CaseIterable { case new, starting, asking, started, interrupted, searching, left, resuming, ending, over }

    enum Event: CaseIterable {
        case start, resumeStored, suspend, resume, end, ended, endedBadly, asked, allowed, started, failed, linkLost, linkLostForGood,
            linkReadyRunning, linkReadyWithoutApplication, applicationStopped, streamEnded, streamFound, streamNotFound, resumeTimedOut
    }

    private static let error = CastError(.networkError)

    private static func lifecycle(_ state: State) -> SessionLifecycle {
        var lifecycle = SessionLifecycle()
        switch state {
        case .new: return lifecycle
        case .resuming: _ = lifecycle.resumeStored()
        case .starting, .asking, .started, .interrupted, .searching, .left, .ending, .over: _ = lifecycle.start()
        }
        if state == .asking { _ = lifecycle.permission(isAsking: true) }
        if [.started, .interrupted, .searching, .left, .ending].contains(state) { _ = lifecycle.started() }
        switch state {
        case .interrupted: _ = lifecycle.linkLost(Self.error, mayResume: true)
        case .searching: _ = lifecycle.applicationStopped(mayHaveMoved: true)
        case .left: _ = lifecycle.suspend(.appBackgrounded)
        case .ending: _ = lifecycle.end()
        case .over: _ = lifecycle.failed(Self.error)
        case .new, .starting, .asking, .started, .resuming: break
        }
        return lifecycle
    }

    private static func send(_ event: Event, to lifecycle: inout SessionLifecycle) -> [SessionLifecycle.Action] {
        switch event {
        case .start: lifecycle.start()
        case .resumeStored: lifecycle.resumeStored()
        case .suspend: lifecycle.suspend(.appBackgrounded)
        case .resume: lifecycle.resume()
        case .end: lifecycle.end()
        case .ended: lifecycle.ended(nil)
        case .endedBadly: lifecycle.ended(Self.error)
        case .asked: lifecycle.permission(isAsking: true)
        case .allowed: lifecycle.permission(isAsking: false)
        case .started: lifecycle.started()
        case .failed: lifecycle.failed(Self.error)
        case .linkLost: lifecycle.linkLost(Self.error, mayResume: true)
        case .linkLostForGood: lifecycle.linkLost(Self.error, mayResume: false)
        case .linkReadyRunning: lifecycle.linkReady(isStillRunning: true)
        case .linkReadyWithoutApplication: lifecycle.linkReady(isStillRunning: false)
        case .applicationStopped: lifecycle.applicationStopped()
        case .streamEnded: lifecycle.applicationStopped(mayHaveMoved: true)
        case .streamFound: lifecycle.searched(isFound: true)
        case .streamNotFound: lifecycle.searched(isFound: false)
        case .resumeTimedOut: lifecycle.resumeTimedOut()
        }
    }

    private static func describe(_ action: SessionLifecycle.Action) -> String {
        switch action {
        case .openLink: "open"
        case .closeLink: "close"
        case .search: "search"
        case .report(.willStart): "will start"
        case .report(.waitsForPermission): "waits"
        case .report(.didStart): "did start"
        case .report(.didFailToStart(let error)): "failed to start: \(error.code)"
        case .report(.didSuspend(let reason)): "suspended: \(reason)"
        case .report(.willResume): "will resume"
        case .report(.didResume): "did resume"
        case .report(.didFailToResume(let error)): "failed to resume: \(error.code)"
        case .report(.willEnd): "will end"
        case .report(.didEnd(let error)): "ended\(error.map { ": \($0.code)" } ?? "")"
        case .report(.leaderMoved): "leader moved"
        case .report(.playbackMoved): "playback moved"
        case .report(.streamMoved(let id)): "stream moved to \(id)"
        case .report(.authenticated): "authenticated"
        case .report(.willTransfer(let id)): "will transfer to \(id)"
        case .report(.didTransfer(let id)): "did transfer to \(id)"
        case .report(.didFailToTransfer(let id, let error)): "failed to transfer to \(id): \(error.code)"
        }
    }

    /// The result of each event in each state, and the next state; an event that is not listed does nothing.
    private static let table: [State: [Event: (actions: [String], after: SessionState?)]] = [
        .new: [.start: (["will start", "open"], .starting), .resumeStored: (["will resume", "open"], .resuming)],
        .starting: [
            .asked: (["waits"], .waitingForPermission), .started: (["did start"], .started),
            .failed: (["close", "failed to start: network error"], nil), .end: (["close", "failed to start: cancelled"], nil),
        ],
        .asking: [
            .allowed: ([], .starting), .started: (["did start"], .started), .failed: (["close", "failed to start: network error"], nil),
            .end: (["close", "failed to start: cancelled"], nil),
        ],
        .started: [
            .suspend: (["close", "suspended: appBackgrounded"], .suspended(.appBackgrounded)), .end: (["will end"], .ending),
            .linkLost: (["suspended: networkError"], .suspended(.networkError)),
            .linkLostForGood: (["close", "ended: network error"], nil),
            .applicationStopped: (["close", "ended: application not running"], nil),
            .streamEnded: (["close", "suspended: streamLost", "search"], .suspended(.streamLost)),
        ],
        .searching: [
            .streamFound: (["will resume", "open"], .resuming), .streamNotFound: (["close", "ended: application not running"], nil),
            .failed: (["close", "ended: network error"], nil), .end: (["will end", "close", "ended"], nil),
        ],
        .interrupted: [
            .suspend: (["close", "suspended: appBackgrounded"], .suspended(.appBackgrounded)), .end: (["will end"], .ending),
            .linkReadyRunning: (["will resume", "did resume"], .started),
            .linkReadyWithoutApplication: (["will resume", "close", "failed to resume: application not running"], nil),
            .resumeTimedOut: (["close", "failed to resume: timeout"], nil),
        ],
        .left: [.resume: (["will resume", "open"], .resuming), .end: (["will end"], .ending)],
        .resuming: [
            .linkReadyRunning: (["did resume"], .started),
            .linkReadyWithoutApplication: (["close", "failed to resume: application not running"], nil),
            .failed: (["close", "failed to resume: network error"], nil), .end: (["close", "failed to resume: cancelled"], nil),
            .resumeTimedOut: (["close", "failed to resume: timeout"], nil),
        ],
        .ending: [.ended: (["close", "ended"], nil), .endedBadly: (["close", "ended: network error"], nil)],
        .over: [:],
    ]

    @Test("every event is handled in every state", arguments: State.allCases, Event.allCases)
    func table(state: State, event: Event) {
        var lifecycle = Self.lifecycle(state)
        let before = lifecycle.state
        let actions = Self.send(event, to: &lifecycle).map(Self.describe)
        let expected = Self.table[state]?[event] ?? ([], before)
        #expect(actions == expected.actions)
        #expect(lifecycle.state == expected.after)
        let reportsLast = actions.contains { $0.hasPrefix("ended") || $0.hasPrefix("failed") }
        #expect(lifecycle.isOver == (reportsLast || state == .over))
    }
}
