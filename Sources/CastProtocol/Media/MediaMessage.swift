@_spi(JSON) import CastModels

/// A payload of the media namespace.
package enum MediaMessage: Sendable, Hashable {
    /// MEDIA_STATUS: the changes by media session; empty when there is none.
    case status([MediaStatusUpdate])
    /// LOAD_FAILED, LOAD_CANCELLED, INVALID_PLAYER_STATE or INVALID_REQUEST: the answer to a request.
    case requestFailed(RequestFailure)
    /// ERROR: playback failed; may arrive without a request.
    case error(RequestFailure)
    /// QUEUE_ITEM_IDS: the whole queue.
    case queueItemIDs([Int], sequenceNumber: Int?)
    /// QUEUE_ITEMS: the requested items.
    case queueItems([MediaQueueItem], sequenceNumber: Int?)
    case queueChange(QueueChange)
    /// SESSION_STATE, the answer to STORE_SESSION: for RESUME_SESSION on another device, unchanged.
    case sessionState(JSONValue)
    case unknown(type: String)

    init(_ object: JSONView, _ memory: inout PayloadMemory) {
        let type = ReceivedPayload.type(of: object)
        switch type {
        case "MEDIA_STATUS": self = MediaStatusUpdate.elements(of: object, &memory).map(Self.status) ?? .unknown(type: type)
        case "LOAD_FAILED", "LOAD_CANCELLED", "INVALID_PLAYER_STATE", "INVALID_REQUEST": self = .requestFailed(RequestFailure(object))
        case "ERROR": self = .error(RequestFailure(object))
        case "QUEUE_ITEM_IDS":
            self = .queueItemIDs(object.wholes(MediaKey.itemIDs) ?? [], sequenceNumber: object.whole(MediaKey.sequenceNumber))
        case "QUEUE_ITEMS":
            let items = object.objects(MediaKey.items, MediaQueueItem.init(wire:)) ?? []
            self = .queueItems(items, sequenceNumber: object.whole(MediaKey.sequenceNumber))
        case "QUEUE_CHANGE":
            self = .queueChange(
                QueueChange(
                    changeType: object.text("changeType") ?? "", itemIDs: object.wholes(MediaKey.itemIDs) ?? [],
                    insertBefore: object.whole(MediaKey.insertBefore), sequenceNumber: object.whole(MediaKey.sequenceNumber)))
        case "SESSION_STATE": self = object.any(MediaKey.sessionState).map(Self.sessionState) ?? .unknown(type: type)
        default: self = .unknown(type: type)
        }
    }

    package struct QueueChange: Sendable, Hashable {
        /// `INSERT`, `REMOVE`, `ITEMS_CHANGE`, `UPDATE`, `NO_CHANGE` or another word.
        package var changeType: String
        package var itemIDs: [Int] = []
        /// The item before which items were inserted; `nil` for the end.
        package var insertBefore: Int?
        /// The number of the change, one more than that of the previous one; a gap means that changes were missed.
        package var sequenceNumber: Int?
    }
}
