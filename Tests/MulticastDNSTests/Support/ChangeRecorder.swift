import MulticastDNS
import Synchronization
import Testing

/// Collects a browser's changes and lets a test wait until they satisfy a condition.
final class ChangeRecorder: Sendable {
    private struct State {
        var changes: [ServiceChange] = []
        var waiters: [Int: (condition: @Sendable ([ServiceChange]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    var changes: [ServiceChange] { self.state.withLock { $0.changes } }

    /// The last word on each instance.
    var services: [String: DiscoveredService] { Self.services(self.changes) }

    @Sendable func record(_ change: ServiceChange) {
        let met = self.state.withLock { state in
            state.changes.append(change)
            let changes = state.changes
            let met = state.waiters.filter { $0.value.condition(changes) }
            for id in met.keys { state.waiters[id] = nil }
            return met.values.map(\.continuation)
        }
        for continuation in met { continuation.resume(returning: true) }
    }

    static func services(_ changes: [ServiceChange]) -> [String: DiscoveredService] {
        var services: [String: DiscoveredService] = [:]
        for change in changes {
            switch change {
            case .found(let service), .updated(let service), .sighted(let service): services[service.instanceName] = service
            case .removed(let service): services[service.instanceName] = nil
            case .networkChanged: break
            }
        }
        return services
    }

    /// Waits for a condition on all changes so far, at most 30 s.
    func wait(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
        untilChanges condition: @escaping @Sendable ([ServiceChange]) -> Bool
    ) async {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let end = Task {
            try await Task.sleep(for: .seconds(30))
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
        let isMet = await withCheckedContinuation { continuation in
            let isMetAlready = self.state.withLock { state in
                if condition(state.changes) { return true }
                state.waiters[id] = (condition, continuation)
                return false
            }
            if isMetAlready { continuation.resume(returning: true) }
        }
        end.cancel()
        #expect(isMet, "waited in vain for: \(what); heard \(self.changes.suffix(8))", sourceLocation: sourceLocation)
    }

    func wait(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
        untilServices condition: @escaping @Sendable ([String: DiscoveredService]) -> Bool
    ) async {
        await self.wait(what, sourceLocation: sourceLocation, untilChanges: { condition(Self.services($0)) })
    }
}
