/// A change of a queue by any sender (SDK: `GCKMediaQueueDelegate`). Indices count from 0 and refer to the queue after the change.
public enum MediaQueueChange: Sendable, Hashable {
    /// The whole order was read again: a new queue, a shuffle, or missed changes.
    case reloaded(itemCount: Int)
    case inserted(itemIDs: [Int], index: Int)
    case removed(itemIDs: [Int])
    case reordered
    /// These items have new content.
    case updated(itemIDs: [Int])

    /// Whether only the content of items changed, not their positions.
    var isOfContent: Bool { if case .updated = self { true } else { false } }
}
