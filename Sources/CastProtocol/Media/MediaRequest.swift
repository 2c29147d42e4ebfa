import CastModels

/// A request to the player of an application.
package struct MediaRequest: Sendable, Hashable {
    package var action: Action
    /// The media session of the request; LOAD, QUEUE_LOAD and GET_STATUS need none.
    package var mediaSessionID: Int?
    /// Data that only the application interprets.
    package var customData: JSONValue?

    package init(_ action: Action, mediaSessionID: Int? = nil, customData: JSONValue? = nil) {
        self.action = action
        self.mediaSessionID = mediaSessionID
        self.customData = customData
    }

    package enum Action: Sendable, Hashable {
        case getStatus(StatusOptions)
        /// Loads media. Some applications require their own session id with it.
        case load(MediaLoadRequest, sessionID: String?)
        case play
        case pause
        /// Ends the media session, not the application.
        case stop
        /// Seeks to seconds from the start. Always absolute, because applications interpret relative positions differently.
        case seek(position: Double, resumeState: ResumeState)
        /// Sets the stream's volume, 0 to 1, for example for fades. The volume that users control is the device's.
        case setStreamVolume(level: Double)
        case setStreamMuted(Bool)
        /// Sets the playback rate, above 0; 1 is normal speed.
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
        /// Resumes the content of a SESSION_STATE.
        case resumeSession(JSONValue)
    }

    /// The parts that GET_STATUS leaves out.
    package struct StatusOptions: OptionSet, Sendable, Hashable {
        package var rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let noMetadata = Self(rawValue: 1)
        package static let noQueueItems = Self(rawValue: 2)
    }

    /// The content of EDIT_TRACKS_INFO; `nil` keeps a value.
    package struct TrackChange: Sendable, Hashable {
        /// The active tracks; an empty list deactivates all.
        package var activeTrackIDs: [Int]?
        package var textTrackStyle: TextTrackStyle?

        package init(activeTrackIDs: [Int]? = nil, textTrackStyle: TextTrackStyle? = nil) {
            self.activeTrackIDs = activeTrackIDs
            self.textTrackStyle = textTrackStyle
        }
    }

    /// The content of QUEUE_LOAD. Ids of items are left out, because the receiver assigns new ones.
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

    /// The content of QUEUE_INSERT. Ids of items are left out, because the receiver assigns new ones.
    package struct QueueInsertion: Sendable, Hashable {
        package var items: [MediaQueueItem]
        /// The item to insert before; `nil` appends.
        package var insertBefore: Int?
        /// The index among the inserted items of the one to play at once, from 0.
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

    /// The content of QUEUE_UPDATE; `nil` keeps a value.
    package struct QueueUpdate: Sendable, Hashable {
        /// The changed items with their ids.
        package var items: [MediaQueueItem]?
        package var currentItemID: Int?
        /// The number of items to skip forward, or backward when negative. Next and previous are sent as jumps, which all receivers
        /// support.
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
