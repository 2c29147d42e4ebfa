import CastModels

/// The queue of a receiver, written for tests from the description of the wire: it reads and writes its JSON by hand.
package struct QueueReceiverModel {
    package struct Item {
        package let id: Int
        /// The item as it was sent, without an id.
        package var fields: JSONObject

        package var contentID: String { self.fields["media"]?["contentId"]?.stringValue ?? "" }

        package var json: JSONValue {
            var object = self.fields
            object["itemId"] = .integer(Int64(self.id))
            return .object(object)
        }
    }

    package var items: [Item] = []
    package var currentID: Int?
    package var mediaSessionID = 0
    package var repeatMode = "REPEAT_OFF"
    package var isShuffled: Bool?
    package var commands = 15
    private var lastID = 0
    private var sequenceNumber = 0

    package init() {}

    // How it behaves.
    package var numbersChanges = true
    /// The status before the notice, or after it.
    package var sendsStatusFirst = false
    package var sendsNotices = true
    package var reportsItemIDs = true
    /// It answers that its queue has no ids.
    package var listsNoItemIDs = false
    /// So many questions for its ids stay without an answer.
    package var lostItemIDs = 0
    package var shuffles = true
    /// The most items it reports at once; more are not answered.
    package var largestPage = Int.max
    /// The requests that it refuses, each with a reason.
    package var refusals: [String: String] = [:]

    /// The payloads and to whom they go; `nil` for what is no request of a queue.
    package mutating func replies(to type: String, _ body: JSONValue, requestID: Int) -> [(to: String, text: String)]? {
        if let reason = self.refusals[type] { return [("", Self.text(["type": "INVALID_REQUEST", "reason": .string(reason)], requestID))] }
        if type == "GET_STATUS" { return [("", self.status(requestID))] }
        if type == "QUEUE_LOAD" || (type == "LOAD" && body["queueData"] != nil) {
            self.load(body["queueData"] ?? body)
            return [("*", self.status(requestID))]
        }
        guard type.hasPrefix("QUEUE_") else { return nil }
        guard self.mediaSessionID > 0, body["mediaSessionId"]?.intValue == self.mediaSessionID else {
            return [("", Self.text(["type": "INVALID_REQUEST", "reason": "INVALID_MEDIA_SESSION_ID"], requestID))]
        }
        switch type {
        case "QUEUE_GET_ITEM_IDS" where self.lostItemIDs > 0:
            self.lostItemIDs -= 1
            return []
        case "QUEUE_GET_ITEM_IDS":
            guard self.reportsItemIDs else {
                return [("", Self.text(["type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"], requestID))]
            }
            return [
                (
                    "",
                    Self.text(
                        ["type": "QUEUE_ITEM_IDS", "itemIds": Self.ids(self.listsNoItemIDs ? [] : self.items.map(\.id))], requestID,
                        self.number)
                )
            ]
        case "QUEUE_GET_ITEMS":
            let wanted = body["itemIds"]?.arrayValue?.compactMap(\.intValue) ?? []
            guard wanted.count <= self.largestPage else { return [] }
            let items = wanted.compactMap { id in self.items.first { $0.id == id }?.json }
            return [("", Self.text(["type": "QUEUE_ITEMS", "items": .array(items)], requestID, self.number))]
        default: break
        }
        guard let notices = self.apply(type, body) else {
            return [("", Self.text(["type": "INVALID_REQUEST", "reason": "INVALID_PARAMS"], requestID))]
        }
        return self.broadcast(notices, requestID)
    }

    /// The broadcasts about changes made on the receiver itself.
    package mutating func broadcast(_ notices: [JSONObject], _ requestID: Int = 0) -> [(to: String, text: String)] {
        var texts: [String] = []
        for var notice in notices {
            self.sequenceNumber += 1
            notice.append("type", "QUEUE_CHANGE")
            if self.sendsNotices { texts.append(Self.text(notice, 0, self.number)) }
        }
        let status = self.status(requestID)
        texts = self.sendsStatusFirst ? [status] + texts : texts + [status]
        return texts.map { ("*", $0) }
    }

    // MARK: - Changes

    private mutating func load(_ queue: JSONValue) {
        self.mediaSessionID += 1
        self.items = []
        self.sequenceNumber = 0
        self.append(queue["items"]?.arrayValue ?? [], at: 0)
        self.repeatMode = queue["repeatMode"]?.stringValue ?? "REPEAT_OFF"
        let start = queue["startIndex"]?.intValue ?? 0
        self.currentID = self.items.indices.contains(start) ? self.items[start].id : nil
    }

    @discardableResult private mutating func append(_ elements: [JSONValue], at index: Int) -> [Int] {
        var added: [Item] = []
        for element in elements {
            self.lastID += 1
            var fields = element.objectValue ?? [:]
            fields["itemId"] = nil
            added.append(Item(id: self.lastID, fields: fields))
        }
        self.items.insert(contentsOf: added, at: index)
        return added.map(\.id)
    }

    /// - Returns: `nil` for what a receiver refuses.
    private mutating func apply(_ type: String, _ body: JSONValue) -> [JSONObject]? {
        let ids = body["itemIds"]?.arrayValue?.compactMap(\.intValue) ?? []
        let before = body["insertBefore"]?.intValue
        guard let index = before.map({ id in self.items.firstIndex { $0.id == id } }) ?? self.items.count else { return nil }
        switch type {
        case "QUEUE_INSERT":
            let elements = body["items"]?.arrayValue ?? []
            guard !elements.isEmpty, elements.allSatisfy({ $0["itemId"] == nil }) else { return nil }
            let added = self.append(elements, at: index)
            if let playing = body["currentItemIndex"]?.intValue { self.currentID = added[playing] }
            var notice: JSONObject = ["changeType": "INSERT", "itemIds": Self.ids(added)]
            if let before { notice.append("insertBefore", .integer(Int64(before))) }
            return [notice]
        case "QUEUE_REMOVE":
            guard !ids.isEmpty, Set(ids).isSubset(of: self.items.map(\.id)) else { return nil }
            return [self.remove(Set(ids), playing: body["currentItemId"]?.intValue)]
        case "QUEUE_REORDER":
            let moved = ids.compactMap { id in self.items.first { $0.id == id } }
            guard moved.count == ids.count, before.map({ !ids.contains($0) }) ?? true else { return nil }
            self.items.removeAll { ids.contains($0.id) }
            self.items.insert(contentsOf: moved, at: before.flatMap { id in self.items.firstIndex { $0.id == id } } ?? self.items.count)
            return [["changeType": "UPDATE", "itemIds": Self.ids(self.items.map(\.id))]]
        case "QUEUE_UPDATE": return self.update(body)
        default: return nil
        }
    }

    private mutating func remove(_ ids: Set<Int>, playing: Int?) -> JSONObject {
        let place = self.items.firstIndex { $0.id == self.currentID } ?? 0
        let order = self.items.filter { ids.contains($0.id) }.map(\.id)
        if let currentID, ids.contains(currentID) {
            self.currentID =
                playing ?? self.items[place...].first { !ids.contains($0.id) }?.id ?? self.items.last { !ids.contains($0.id) }?.id
        }
        self.items.removeAll { ids.contains($0.id) }
        return ["changeType": "REMOVE", "itemIds": Self.ids(order)]
    }

    private mutating func update(_ body: JSONValue) -> [JSONObject]? {
        var notices: [JSONObject] = []
        if let elements = body["items"]?.arrayValue {
            var changed: [Int] = []
            for element in elements {
                guard let id = element["itemId"]?.intValue, let index = self.items.firstIndex(where: { $0.id == id }) else { return nil }
                var fields = element.objectValue ?? [:]
                fields["itemId"] = nil
                self.items[index].fields = fields
                changed.append(id)
            }
            notices.append(["changeType": "ITEMS_CHANGE", "itemIds": Self.ids(changed)])
        }
        if let id = body["currentItemId"]?.intValue {
            guard self.items.contains(where: { $0.id == id }) else { return nil }
            self.currentID = id
        }
        if let jump = body["jump"]?.intValue, let index = self.items.firstIndex(where: { $0.id == self.currentID }) {
            guard self.items.indices.contains(index + jump) else { return nil }
            self.currentID = self.items[index + jump].id
        }
        if let mode = body["repeatMode"]?.stringValue { self.repeatMode = mode }
        if let isShuffled = body["shuffle"]?.boolValue, self.shuffles {
            self.isShuffled = isShuffled
            self.items = Array(self.items.dropFirst(self.items.count / 2) + self.items.prefix(self.items.count / 2))
            notices.append(["changeType": "UPDATE", "itemIds": Self.ids(self.items.map(\.id))])
        }
        return notices
    }

    // MARK: - Texts

    private var number: Int? { self.numbersChanges ? self.sequenceNumber : nil }

    private static func ids(_ ids: [Int]) -> JSONValue { .array(ids.map { .integer(Int64($0)) }) }

    private static func text(_ object: JSONObject, _ requestID: Int, _ number: Int? = nil) -> String {
        var object = object
        object.append("requestId", .integer(Int64(requestID)))
        if let number { object.append("sequenceNumber", .integer(Int64(number))) }
        var writer = JSONWriter()
        writer.value(.object(object))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// MEDIA_STATUS with the window: one before the current item and two after it.
    package func status(_ requestID: Int) -> String {
        guard self.mediaSessionID > 0 else { return Self.text(["type": "MEDIA_STATUS", "status": []], requestID) }
        var status: JSONObject = [
            "mediaSessionId": .integer(Int64(self.mediaSessionID)), "supportedMediaCommands": .integer(Int64(self.commands)),
            "repeatMode": .string(self.repeatMode),
        ]
        if let isShuffled { status.append("queueData", ["shuffle": .bool(isShuffled)]) }
        guard let index = self.items.firstIndex(where: { $0.id == self.currentID }) else {
            status.append("playerState", "IDLE")
            status.append("idleReason", "FINISHED")
            return Self.text(["type": "MEDIA_STATUS", "status": [.object(status)]], requestID)
        }
        status.append("playerState", "PLAYING")
        status.append("currentTime", 1)
        status.append("currentItemId", .integer(Int64(self.items[index].id)))
        status.append("media", self.items[index].fields["media"] ?? .null)
        status.append("items", .array(self.items[max(0, index - 1)..<min(self.items.count, index + 3)].map(\.json)))
        return Self.text(["type": "MEDIA_STATUS", "status": [.object(status)]], requestID)
    }
}
