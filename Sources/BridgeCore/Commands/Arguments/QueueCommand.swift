import CastModels

/// A change of the current queue, or a new queue that replaces it.
public enum QueueCommand: Sendable, Hashable {
    case load(QueueLoad)
    case insert(QueueInsertion)
    /// Replaces the content of items, or properties of items without media. Each has its id.
    case update([MediaQueueItem])
    /// Contains at least one item.
    case remove(itemIDs: [Int])
    /// - position: seconds into the item; `nil` uses the item's own.
    case jump(itemID: Int, position: Double?)
    /// Jumps this many items forward, or backward when negative; not 0.
    case jumpBy(Int)
    /// Moves items, in this order.
    case move(itemIDs: [Int], to: QueuePlace)
    /// Removes every item, or all but the current one.
    case clear(keepsCurrent: Bool)
}

public enum QueuePlace: Sendable, Hashable {
    /// An index from 0, in the queue after the change; for one item.
    case index(Int)
    case before(itemID: Int)
    /// After the current item.
    case next
    case end
}

public struct QueueLoad: Sendable, Hashable {
    /// At least one item, each with media.
    public var items: [MediaQueueItem]
    /// The index of the item to begin with, from 0.
    public var startIndex: Int
    /// Seconds into that item.
    public var position: Double?
    public var repeatMode: RepeatMode?
    /// `nil` keeps the order.
    public var isShuffled: Bool?
    public var applicationID: String
    /// How to launch the application if it does not run yet.
    public var launchOptions = LaunchOptions()
    public var customData: JSONValue?
    /// Name, type and container of the queue, without items; `nil` when none is given.
    public var details: MediaQueueData?

    public init(items: [MediaQueueItem], startIndex: Int = 0, applicationID: String = ReceiverApplication.defaultMediaReceiver) {
        (self.items, self.startIndex, self.applicationID) = (items, startIndex, applicationID)
    }
}

/// Items to insert.
public struct QueueInsertion: Sendable, Hashable {
    /// At least one item, each with media.
    public var items: [MediaQueueItem]
    /// Never an index.
    public var place: QueuePlace
    /// The index of the inserted item to play at once, from 0; `nil` continues with the current item.
    public var playing: Int?
    /// Seconds into that item.
    public var position: Double?
    /// The application to load the items into when nothing is loaded; `nil` refuses the command then.
    public var loadsInto: String?
    /// How to launch that application if it does not run yet.
    public var launchOptions = LaunchOptions()
    /// The application whose queue is changed; while another one plays, the command is refused. `nil` accepts any.
    public var application: String?

    public init(items: [MediaQueueItem], place: QueuePlace = .end, playing: Int? = nil, position: Double? = nil) {
        (self.items, self.place, self.playing, self.position) = (items, place, playing, position)
    }
}
