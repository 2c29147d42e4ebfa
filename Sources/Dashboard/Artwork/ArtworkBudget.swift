import Synchronization

/// Limits the memory of pictures that are being sent to slow readers.
final class ArtworkBudget: Sendable {
    /// Bytes of all pictures that are being sent.
    static let maximumBytes = 16 << 20

    /// The part of one picture; given back when nothing holds it any more.
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
