import CastModels

/// A change of the queue that plays, or a new one in its place.
package enum QueueCommand: Sendable, Hashable {
    case load(QueueLoad)
    case insert(QueueInsertion)
    /// Replaces the content of items, or properties of those without media; each has its id.
    case update([MediaQueueItem])
    /// At least one.
    case remove(itemIDs: [Int])
    /// - position: seconds into the item; `nil` takes its own.
    case jump(itemID: Int, position: Double?)
    /// This many items forward, or backward when negative; not 0.
    case jumpBy(Int)
    /// Puts items, in this order, elsewhere.
    case move(itemIDs: [Int], to: QueuePlace)
    /// Removes every item, or every one but the current one.
    case clear(keepsCurrent: Bool)
}

/// Where in a queue.
package enum QueuePlace: Sendable, Hashable {
    /// From 0, in the queue as it is afterwards; for one item.
    case index(Int)
    case before(itemID: Int)
    /// After the current item.
    case next
    case end
}

/// A queue to load, and the application that shall play it.
package struct QueueLoad: Sendable, Hashable {
    /// At least one, each with media.
    package var items: [MediaQueueItem]
    /// The item to begin with, from 0.
    package var startIndex: Int
    /// Seconds into that item.
    package var position: Double?
    package var repeatMode: RepeatMode?
    /// `nil` leaves the order as it is.
    package var isShuffled: Bool?
    package var applicationID: String
    /// How to launch the application where it does not run yet.
    package var launchOptions = LaunchOptions()
    package var customData: JSONValue?

    package init(items: [MediaQueueItem], startIndex: Int = 0, applicationID: String = ReceiverApplication.defaultMediaReceiver) {
        self.items = items
        self.startIndex = startIndex
        self.applicationID = applicationID
    }
}

/// Items to insert.
package struct QueueInsertion: Sendable, Hashable {
    /// At least one, each with media.
    package var items: [MediaQueueItem]
    /// Never an index.
    package var place: QueuePlace
    /// Which of them to play at once, from 0; `nil` goes on with what plays.
    package var playing: Int?
    /// Seconds into that one.
    package var position: Double?
    /// The application to load the items into when nothing is loaded; `nil` refuses then.
    package var loadsInto: String?
    /// The application whose queue is meant; while another one plays they are refused. `nil` takes whatever plays.
    package var application: String?

    package init(items: [MediaQueueItem], place: QueuePlace = .end, playing: Int? = nil, position: Double? = nil) {
        self.items = items
        self.place = place
        self.playing = playing
        self.position = position
    }
}
