import BridgeCore
import CastSender

/// Checks each minute why no device is found: keeps the cause for `bridge/health`, and reports each new cause.
final class DiscoveryWatch {
    /// The time between two checks, and before the first one: long enough for every device to answer.
    static let interval = Duration.seconds(60)

    private let context: BridgeContext
    private let fleet: DeviceFleet
    /// Receives a new cause, or `nil` when a device is found.
    private let onChange: (DiscoveryHint?) -> Void
    private var looking: Task<Void, Never>?
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.look() }

    init(_ context: BridgeContext, fleet: DeviceFleet, onChange: @escaping (DiscoveryHint?) -> Void) {
        (self.context, self.fleet, self.onChange) = (context, fleet, onChange)
    }

    func begin() { self.deadline.set(self.context.time + Self.interval) }

    func end() {
        self.deadline.cancel()
        self.looking?.cancel()
    }

    private func look() {
        self.looking = self.context.loop.start(self) { await $0.compare() }
        self.deadline.set(self.context.time + Self.interval)
    }

    private nonisolated(nonsending) func compare() async {
        let hint = await self.fleet.hint()
        guard !Task.isCancelled, hint?.cause.rawValue != self.context.counters.discoveryCause else { return }
        self.context.loop.turn {
            self.context.count { $0.discoveryCause = hint?.cause.rawValue }
            self.onChange(hint)
        }
    }
}

extension DiscoveryProblem {
    /// The data for an answer.
    var facts: JSONObject {
        switch self.place {
        case .host: ["host": .string(self.place.name), "reason": .string(self.reason)]
        case .interface: ["interface": .string(self.place.name), "reason": .string(self.reason)]
        }
    }
}

extension DiscoveryHint {
    /// The data for an event or an answer.
    var facts: JSONObject { ["cause": .string(self.cause.rawValue), "reason": .string(self.reason), "remedy": .string(self.remedy)] }
}
