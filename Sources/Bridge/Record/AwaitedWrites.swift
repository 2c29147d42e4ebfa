import BridgeCore
import CastSender
import EventLoopTiming

/// The answers of commands that wait until what they report is on disk.
final class AwaitedWrites {
    /// How long an answer waits.
    static let patience = Duration.seconds(1)

    private let context: BridgeContext
    /// The number of urgent changes so far, of those in the current write or an earlier one, and of those on disk.
    private var (made, begun, onDisk) = (0, 0, 0)
    private var answers: [(change: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.release(upTo: .max) }

    init(_ context: BridgeContext) { self.context = context }

    func changed() { self.made += 1 }

    func writeBegan() { self.begun = self.made }

    /// Handles the end of a write; a failed one is not waited for again.
    func writeEnded() {
        self.onDisk = self.begun
        self.release(upTo: self.onDisk)
    }

    /// No write follows.
    func end() { self.release(upTo: .max) }

    /// Returns when all urgent changes so far are on disk, at the latest after `patience`.
    nonisolated(nonsending) func wait() async {
        guard self.onDisk < self.made else { return }
        if self.answers.isEmpty { self.deadline.set(self.context.time + Self.patience) }
        await withCheckedContinuation { self.answers.append((self.made, $0)) }
    }

    private func release(upTo change: Int) {
        let released = self.answers.filter { $0.change <= change }
        self.answers.removeAll { $0.change <= change }
        if self.answers.isEmpty { self.deadline.cancel() }
        for answer in released { answer.continuation.resume() }
    }
}
