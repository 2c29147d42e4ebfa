import Synchronization

/// Limits the memory used by pictures that are being sent to slow clients.
final class ArtworkBudget: Sendable {
    /// The size of all pictures that are being sent, in bytes.
    static let maximumBytes = 16 << 20

    /// The share of one picture. Released when nothing refers to it any more.
    final class Share: Sendable {
        private let budget: ArtworkBudget
        private let bytes: Int

        fileprivate init(_ bytes: Int, of budget: ArtworkBudget) { (self.bytes, self.budget) = (bytes, budget) }

        deinit { self.budget.used.withLock { $0 -= self.bytes } }
    }

    private let used = Mutex(0)

    /// - Returns: `nil` when there is no room.
    func share(_ bytes: Int) -> Share? {
        let fits = self.used.withLock { used in
            guard bytes <= Self.maximumBytes - used else { return false }
            used += bytes
            return true
        }
        return fits ? Share(bytes, of: self) : nil
    }
}
