import CastModels
import CastSender
import NIOCore
import Synchronization

/// The events of a supervisor, with their times.
package final class LinkEventLog: Sendable {
    private let entries = Mutex<[(at: NIODeadline, event: CastLinkEvent)]>([])

    package init() {}

    package func add(_ event: CastLinkEvent, at now: NIODeadline) { self.entries.withLock { $0.append((now, event)) } }

    package var all: [(at: NIODeadline, event: CastLinkEvent)] { self.entries.withLock { $0 } }
    package var events: [CastLinkEvent] { self.all.map(\.event) }

    package func times(where matches: (CastLinkEvent) -> Bool) -> [NIODeadline] { self.all.filter { matches($0.event) }.map(\.at) }

    package var readyTimes: [NIODeadline] { self.times { if case .ready = $0 { true } else { false } } }

    package var lossTimes: [NIODeadline] { self.times { if case .disconnected = $0 { true } else { false } } }

    package var lastMedia: MediaStatus? {
        for event in self.events.reversed() {
            switch event {
            case .mediaStatus(let status), .ready(_, let status): return status
            default: continue
            }
        }
        return nil
    }

    package var connections: [ApplicationSession.Connection] {
        self.events.compactMap { if case .application(let session) = $0 { session.connection } else { nil } }
    }

    package func clear() { self.entries.withLock { $0 = [] } }
}
