import BridgeCore
import CastSender
import EventLoopTiming

/// The answers of commands that wait until urgent changes of their device are on disk.
final class AwaitedWrites {
    /// How long an answer waits.
    static let patience = Duration.seconds(1)

    private let context: BridgeContext
    /// The devices with urgent changes that are in no write yet, and those with changes in the current write.
    private var unwritten: Set<Device.ID> = []
    private var underWay: Set<Device.ID> = []
    private var answers: [(device: Device.ID, continuation: CheckedContinuation<Void, Never>)] = []
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.end() }

    init(_ context: BridgeContext) { self.context = context }

    func changed(_ device: Device.ID) { self.unwritten.insert(device) }

    func writeBegan() { (self.underWay, self.unwritten) = (self.unwritten, []) }

    /// Handles the end of a write; a failed one is not waited for again.
    func writeEnded() {
        self.underWay = []
        self.release { !self.unwritten.contains($0) }
    }

    func end() { self.release { _ in true } }

    /// Whether urgent changes of the device are not on disk.
    func holds(_ device: Device.ID) -> Bool { self.unwritten.contains(device) || self.underWay.contains(device) }

    /// Forgets changes that are never written.
    func drop(_ device: Device.ID) { self.unwritten.remove(device) }

    /// Returns when all urgent changes of the device so far are on disk, at the latest after `patience`.
    nonisolated(nonsending) func wait(for device: Device.ID) async {
        guard self.holds(device) else { return }
        if self.answers.isEmpty { self.deadline.set(self.context.time + Self.patience) }
        await withCheckedContinuation { self.answers.append((device, $0)) }
    }

    private func release(where isReleased: (Device.ID) -> Bool) {
        let released = self.answers.filter { isReleased($0.device) }
        self.answers.removeAll { isReleased($0.device) }
        if self.answers.isEmpty { self.deadline.cancel() }
        for answer in released { answer.continuation.resume() }
    }
}
