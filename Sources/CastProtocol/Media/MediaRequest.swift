import CastModels

/// A request to the player of an application.
package struct MediaRequest: Sendable, Hashable {
    package var action: Action
    /// The media session it is for; LOAD, QUEUE_LOAD and GET_STATUS need none.
    package var mediaSessionID: Int?
    /// For the application alone.
    package var customData: JSONValue?

    package init(_ action: Action, mediaSessionID: Int? = nil, customData: JSONValue? = nil) {
        self.action = action
        self.mediaSessionID = mediaSessionID
        self.customData = customData
    }

    package enum Action: Sendable, Hashable {
        case getStatus(StatusOptions)
        /// Some applications want their own session id with it.
        case load(MediaLoadRequest, sessionID: String?)
        case play
        case pause
        /// Ends the media session, not the application.
        case stop
        /// Seconds from the start. Always absolute: applications disagree about relative ones.
        case seek(position: Double, resumeState: ResumeState)
        /// The stream's volume, 0 to 1, for fades; people mean the device's.
        case setStreamVolume(level: Double)
        case setStreamMuted(Bool)
        /// Above 0; 1 is normal.
        case setPlaybackRate(Double)
        case editTracks(TrackChange)
        case skipAd
        case queueLoad(QueueLoad)
        case queueInsert(QueueInsertion)
        case queueUpdate(QueueUpdate)
        case queueRemove(itemIDs: [Int], currentItemID: Int?)
        case queueReorder(itemIDs: [Int], insertBefore: Int?)
        case queueGetItemIDs
        case queueGetItems(itemIDs: [Int])
        case storeSession
        /// What SESSION_STATE gave.
        case resumeSession(JSONValue)
    }

    /// What GET_STATUS leaves out.
    package struct StatusOptions: OptionSet, Sendable, Hashable {
        package var rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let noMetadata = Self(rawValue: 1)
        package static let noQueueItems = Self(rawValue: 2)
    }

    /// EDIT_TRACKS_INFO; `nil` leaves things as they are.
    package struct TrackChange: Sendable, Hashable {
        /// Empty switches all tracks off.
        package var activeTrackIDs: [Int]?
        package var textTrackStyle: TextTrackStyle?

        package init(activeTrackIDs: [Int]? = nil, textTrackStyle: TextTrackStyle? = nil) {
            self.activeTrackIDs = activeTrackIDs
            self.textTrackStyle = textTrackStyle
        }
    }

    /// QUEUE_LOAD. Ids the items have are left out: the receiver gives new ones.
    package struct QueueLoad: Sendable, Hashable {
        package var items: [MediaQueueItem]
        package var startIndex: Int?
        package var repeatMode: RepeatMode?
        /// Seconds into the first item.
        package var startTime: Double?

        package init(items: [MediaQueueItem], startIndex: Int? = nil, repeatMode: RepeatMode? = nil, startTime: Double? = nil) {
            self.items = items
            self.startIndex = startIndex
            self.repeatMode = repeatMode
            self.startTime = startTime
        }
    }

    /// QUEUE_INSERT. Ids the items have are left out: the receiver gives new ones.
    package struct QueueInsertion: Sendable, Hashable {
        package var items: [MediaQueueItem]
        /// The item to insert before; `nil` appends.
        package var insertBefore: Int?
        /// Which of the inserted items to play at once, from 0.
        package var currentItemIndex: Int?
        /// Seconds into that item.
        package var startTime: Double?

        package init(items: [MediaQueueItem], insertBefore: Int? = nil, currentItemIndex: Int? = nil, startTime: Double? = nil) {
            self.items = items
            self.insertBefore = insertBefore
            self.currentItemIndex = currentItemIndex
            self.startTime = startTime
        }
    }

    /// QUEUE_UPDATE; `nil` leaves things as they are.
    package struct QueueUpdate: Sendable, Hashable {
        /// Items with their ids.
        package var items: [MediaQueueItem]?
        package var currentItemID: Int?
        /// Items forward, or backward when negative. Next and previous are jumps: receivers know no better way that works.
        package var jump: Int?
        /// Seconds into the item.
        package var startTime: Double?
        package var repeatMode: RepeatMode?
        package var shuffle: Bool?

        package init(
            items: [MediaQueueItem]? = nil, currentItemID: Int? = nil, jump: Int? = nil, startTime: Double? = nil,
            repeatMode: RepeatMode? = nil,
            shuffle: Bool? = nil
        ) {
            self.items = items
            self.currentItemID = currentItemID
            self.jump = jump
            self.startTime = startTime
            self.repeatMode = repeatMode
            self.shuffle = shuffle
        }
    }
}
