import CastModels

/// Reads the items of queue commands: URLs, or objects with the members of `load`.
enum QueueItemArguments {
    /// The most items in one command.
    static let maximumCount = 5000

    /// Reads new items, at least one.
    /// - Parameter application: the application that will play them; `nil` for the running one.
    static func parse(_ elements: [JSONValue], of name: String, for application: String?) throws(CommandRejection) -> [MediaQueueItem] {
        guard (1...self.maximumCount).contains(elements.count) else {
            throw CommandRejection(.badPayload, "\(name): items must be an array of 1 to \(self.maximumCount) URLs or objects.")
        }
        var items: [MediaQueueItem] = []
        for (index, element) in elements.enumerated() { items.append(try self.item(element, path: "items[\(index)]", for: application)) }
        return items
    }

    private static func item(_ element: JSONValue, path: String, for application: String?) throws(CommandRejection) -> MediaQueueItem {
        if let url = element.stringValue { return MediaQueueItem(media: try MediaArguments.media(url: url, path: path)) }
        guard let object = element.objectValue else { throw CommandRejection(.badPayload, "\(path) must be a URL or an object with url.") }
        return try ArgumentReader.read(object, of: path) { reader throws(CommandRejection) in
            try self.item(&reader, id: nil, path: path, for: application)
        }
    }

    /// Takes the members of one item out of an object, including its medium.
    static func item(
        _ reader: inout ArgumentReader, id: Int?, path: String, for application: String?
    ) throws(CommandRejection) -> MediaQueueItem {
        let media = try MediaArguments.media(&reader, for: application, path: path)
        var item = MediaQueueItem(itemID: id, media: media)
        try self.takeProperties(&reader, into: &item)
        return item
    }

    /// Takes a change of an item in the queue: with a URL the whole item, otherwise properties beside its media.
    static func change(_ reader: inout ArgumentReader, id: Int, path: String) throws(CommandRejection) -> MediaQueueItem {
        if MediaArguments.contentNames.contains(where: reader.has) { return try self.item(&reader, id: id, path: path, for: nil) }
        var item = MediaQueueItem(itemID: id)
        try self.takeProperties(&reader, into: &item)
        guard item != MediaQueueItem(itemID: id) else {
            throw CommandRejection(
                .badPayload, "\(path) needs url, or what to change: autoplay, position, preload_time, active_tracks or custom_data.")
        }
        return item
    }

    /// Takes the properties of an item beside its media. `start_time` is the name in the document for `position`.
    private static func takeProperties(_ reader: inout ArgumentReader, into item: inout MediaQueueItem) throws(CommandRejection) {
        item.autoplay = try reader.bool("autoplay")
        item.startTime = try reader.seconds(try reader.name("position", "start_time"))
        item.preloadTime = try reader.number("preload_time", in: 0...3600)
        item.activeTrackIDs = try MediaArguments.activeTracks(&reader, of: item.media ?? MediaInformation())
        item.customData = reader.take("custom_data")
    }
}

enum QueueArguments {
    private static let itemIDs = 0...Int(Int32.max)
    private static let maximumCount = QueueItemArguments.maximumCount

    /// A URL, an array of items, or `{"items":[…],"before":…}`; a single item may be the object itself.
    static func insert(_ arguments: CommandArguments) throws(CommandRejection) -> QueueCommand {
        switch arguments {
        case .text(let url):
            return .insert(QueueInsertion(items: [MediaQueueItem(media: try MediaArguments.media(url: url, path: "queue_insert"))]))
        case .json(.array(let elements)):
            return .insert(QueueInsertion(items: try QueueItemArguments.parse(elements, of: "queue_insert", for: nil)))
        case .json(.object(let object)): return .insert(try self.insertion(object))
        case .none, .json: throw CommandRejection(.badPayload, "queue_insert needs a URL, an array of items, or an object with items.")
        }
    }

    private static func insertion(_ object: JSONObject) throws(CommandRejection) -> QueueInsertion {
        var reader = ArgumentReader(object, of: "queue_insert")
        var insertion = QueueInsertion(items: [])
        let isList = reader.has("items")
        if let elements = try reader.array("items", maximumCount: self.maximumCount) {
            insertion.items = try QueueItemArguments.parse(elements, of: "queue_insert", for: nil)
            insertion.position = try reader.seconds("position")
        }
        insertion.place = try self.place(&reader, allowsIndex: false) ?? .end
        switch reader.take("play") {
        case nil, .bool(false): break
        case .bool(true): insertion.playing = 0
        case .some(let value):
            guard let index = value.intValue, index >= 0, index < max(1, insertion.items.count) else {
                throw reader.wrong("play", "true, false, or the index of one of the items")
            }
            insertion.playing = index
        }
        if insertion.position != nil, insertion.playing == nil { throw reader.wrong("position", "given with play") }
        if !isList { insertion.items = [try QueueItemArguments.item(&reader, id: nil, path: "queue_insert", for: nil)] }
        try reader.finish()
        return insertion
    }

    /// `before` an item, or `at` `next` or `end`.
    private static func place(_ reader: inout ArgumentReader, allowsIndex: Bool) throws(CommandRejection) -> QueuePlace? {
        var place: QueuePlace?
        if let id = try reader.integer("before", in: self.itemIDs) { place = .before(itemID: id) }
        if let word = try reader.text("at") {
            guard place == nil else { throw reader.wrong("at", "left out beside before") }
            switch word.lowercased() {
            case "next": place = .next
            case "end": place = .end
            default: throw reader.wrong("at", "next or end")
            }
        }
        if allowsIndex, let index = try reader.integer("to", in: 0...100_000) {
            guard place == nil else { throw reader.wrong("to", "left out beside before and at") }
            place = .index(index)
        }
        return place
    }

    /// An array of items, or `{"items":[…],"start":…,"repeat":…}`.
    static func load(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> QueueCommand {
        switch arguments {
        case .json(.array(let elements)):
            return .load(try self.load(elements, of: "queue_load", rules))
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: "queue_load")
            let application = try rules.applications.take(&reader) ?? rules.defaultApplication
            guard let elements = try reader.array("items", maximumCount: self.maximumCount) else { throw reader.wrong("items", "given") }
            let items = try QueueItemArguments.parse(elements, of: "queue_load", for: application)
            var load = QueueLoad(items: items, applicationID: application)
            load.startIndex = try reader.integer("start", in: 0...(items.count - 1)) ?? 0
            load.position = try reader.seconds("position")
            if let value = reader.take("repeat") { load.repeatMode = try PlainValue.repeatMode(value) }
            if let value = reader.take("shuffle") { load.isShuffled = try PlainValue.shuffle(value) }
            load.customData = reader.take("custom_data")
            load.details = try QueueDetailArguments.parse(&reader)
            load.launchOptions = try LaunchArguments.parse(&reader, rules)
            try reader.finish()
            return .load(load)
        case .text(let url): return .load(try self.load([.string(url)], of: "queue_load", rules))
        case .none, .json: throw CommandRejection(.badPayload, "queue_load needs an array of items, or an object with items.")
        }
    }

    static func load(_ elements: [JSONValue], of name: String, _ rules: CommandRules) throws(CommandRejection) -> QueueLoad {
        let items = try QueueItemArguments.parse(elements, of: name, for: rules.defaultApplication)
        var load = QueueLoad(items: items, applicationID: rules.defaultApplication)
        load.launchOptions = rules.launchOptions
        return load
    }

    /// `{"item":43,"url":…}` or `{"item":43,"autoplay":false}`, or an array of them, or `{"items":[…]}`.
    static func update(_ arguments: CommandArguments) throws(CommandRejection) -> QueueCommand {
        var elements: [JSONValue]
        switch arguments {
        case .json(.array(let array)): elements = array
        case .json(.object(let object)) where object["items"] != nil:
            var reader = ArgumentReader(object, of: "queue_update")
            elements = try reader.array("items", maximumCount: self.maximumCount) ?? []
            try reader.finish()
        case .json(.object(let object)): elements = [.object(object)]
        case .none, .text, .json:
            throw CommandRejection(.badPayload, "queue_update needs an object with item and what to change, or an array of them.")
        }
        guard (1...self.maximumCount).contains(elements.count) else {
            throw CommandRejection(.badPayload, "queue_update: items must be an array of 1 to \(self.maximumCount) objects.")
        }
        var items: [MediaQueueItem] = []
        for (index, element) in elements.enumerated() {
            let path = "items[\(index)]"
            guard let object = element.objectValue else {
                throw CommandRejection(.badPayload, "\(path) must be an object with item and what to change.")
            }
            var reader = ArgumentReader(object, of: path)
            guard let id = try reader.integer("item", in: self.itemIDs) else { throw reader.wrong("item", "given") }
            items.append(try QueueItemArguments.change(&reader, id: id, path: path))
            try reader.finish()
        }
        return .update(items)
    }

    /// An item's id, an array of them, `{"item":43}` or `{"items":[43,44]}`.
    static func remove(_ arguments: CommandArguments) throws(CommandRejection) -> QueueCommand {
        switch arguments {
        case .text(let text): return .remove(itemIDs: [try self.itemID(text, of: "queue_remove")])
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: "queue_remove")
            guard let ids = try self.items(&reader) else { throw reader.wrong("item", "given, or items") }
            try reader.finish()
            return .remove(itemIDs: ids)
        case .json(.array(let elements)): return .remove(itemIDs: try self.ids(elements, of: "queue_remove"))
        case .json(let value): return .remove(itemIDs: try self.ids([value], of: "queue_remove"))
        case .none: throw CommandRejection(.badPayload, "queue_remove needs the id of an item, or several.")
        }
    }

    /// An item's id, `+1` or `-1`, `{"item":43,"position":10}` or `{"by":1}`.
    static func jump(_ arguments: CommandArguments) throws(CommandRejection) -> QueueCommand {
        switch arguments {
        case .text(let text):
            guard let sign = text.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
                return .jump(itemID: try self.itemID(text, of: "queue_jump"), position: nil)
            }
            guard let count = Int(text), count != 0, (-100_000...100_000).contains(count) else {
                throw CommandRejection(.badPayload, "queue_jump needs the id of an item, or a number of items like +1 or -1.")
            }
            return .jumpBy(count)
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: "queue_jump")
            if let count = try reader.integer("by", in: -100_000...100_000) {
                guard count != 0 else { throw reader.wrong("by", "a number of items but 0") }
                try reader.finish()
                return .jumpBy(count)
            }
            guard let id = try reader.integer("item", in: self.itemIDs) else { throw reader.wrong("item", "given, or by") }
            let position = try reader.seconds("position")
            try reader.finish()
            return .jump(itemID: id, position: position)
        case .json(let value):
            guard let id = value.intValue, self.itemIDs.contains(id) else {
                throw CommandRejection(.badPayload, "queue_jump: item must be the id of an item.")
            }
            return .jump(itemID: id, position: nil)
        case .none: throw CommandRejection(.badPayload, "queue_jump needs the id of an item, or a number of items like +1 or -1.")
        }
    }

    /// `{"item":43,"to":0}`, or `{"items":[43,44],"before":45}`, or `{"item":43,"at":"next"}`.
    static func move(_ arguments: CommandArguments) throws(CommandRejection) -> QueueCommand {
        guard case .json(.object(let object)) = arguments else {
            throw CommandRejection(.badPayload, "queue_move needs an object with item and to, before or at.")
        }
        var reader = ArgumentReader(object, of: "queue_move")
        guard let ids = try self.items(&reader) else { throw reader.wrong("item", "given, or items") }
        guard let place = try self.place(&reader, allowsIndex: true) else { throw reader.wrong("to", "given, or before, or at") }
        if case .index = place, ids.count > 1 { throw reader.wrong("to", "given for one item only; use before") }
        if case .before(let id) = place, ids.contains(id) { throw reader.wrong("before", "none of the items that are moved") }
        try reader.finish()
        return .move(itemIDs: ids, to: place)
    }

    /// Nothing, or `{"keep_current":true}`.
    static func clear(_ arguments: CommandArguments) throws(CommandRejection) -> QueueCommand {
        guard case .json(.object(let object)) = arguments else {
            try arguments.expectNone(for: "queue_clear")
            return .clear(keepsCurrent: false)
        }
        return try ArgumentReader.read(object, of: "queue_clear") { reader throws(CommandRejection) in
            .clear(keepsCurrent: try reader.bool("keep_current") ?? false)
        }
    }

    // MARK: -

    /// Takes the ids under `item` or `items`; `nil` when both are missing.
    private static func items(_ reader: inout ArgumentReader) throws(CommandRejection) -> [Int]? {
        if let id = try reader.integer("item", in: self.itemIDs) {
            guard !reader.has("items") else { throw reader.wrong("items", "left out beside item") }
            return [id]
        }
        guard let elements = try reader.array("items", maximumCount: self.maximumCount) else { return nil }
        return try self.ids(elements, of: "items")
    }

    private static func ids(_ elements: [JSONValue], of name: String) throws(CommandRejection) -> [Int] {
        let ids = elements.compactMap(\.intValue).filter { self.itemIDs.contains($0) }
        guard !ids.isEmpty, ids.count == elements.count, Set(ids).count == ids.count, ids.count <= self.maximumCount else {
            throw CommandRejection(.badPayload, "\(name) must be ids of items, each once.")
        }
        return ids
    }

    private static func itemID(_ text: String, of name: String) throws(CommandRejection) -> Int {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int(text),
            self.itemIDs.contains(id)
        else { throw CommandRejection(.badPayload, "\(name): item must be the id of an item, a whole number.") }
        return id
    }
}
