/// What happened to a queue, whoever did it (SDK: `GCKMediaQueueDelegate`). Indices count from 0 and are those after the change.
public enum MediaQueueChange: Sendable, Hashable {
    /// The whole order was read anew: a new queue, a shuffle, or changes that were missed.
    case reloaded(itemCount: Int)
    case inserted(itemIDs: [Int], index: Int)
    case removed(itemIDs: [Int])
    case reordered
    /// These items have new content.
    case updated(itemIDs: [Int])

    /// Whether items changed that stand where they stood.
    var isOfContent: Bool { if case .updated = self { true } else { false } }
}
