@_spi(JSON) import CastModels

extension MediaQueueData {
    init(wire object: JSONView) {
        self.init()
        self.queueID = object.word(MediaKey.id)
        self.name = object.word(MediaKey.name)
        self.text = object.word(MediaKey.description)
        self.entity = object.word(MediaKey.entity)
        self.queueType = object.word(MediaKey.queueType).map(QueueType.init(wireValue:))
        self.repeatMode = object.word(MediaKey.repeatMode).map(RepeatMode.init(wireValue:))
        self.shuffle = object.flag(MediaKey.shuffle)
        self.items = object.objects(MediaKey.items, MediaQueueItem.init(wire:)) ?? []
        self.startIndex = object.whole(MediaKey.startIndex)
        self.startTime = object.seconds(MediaKey.startTime)
        self.containerMetadata = object.object(MediaKey.containerMetadata).map(MediaQueueContainerMetadata.init(wire:))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional(MediaKey.id, self.queueID)
        writer.optional(MediaKey.name, self.name)
        writer.optional(MediaKey.description, self.text)
        writer.optional(MediaKey.entity, self.entity)
        writer.optional(MediaKey.queueType, self.queueType?.wireValue)
        writer.optional(MediaKey.repeatMode, self.repeatMode?.wireValue)
        writer.optional(MediaKey.shuffle, self.shuffle)
        if !self.items.isEmpty {
            writer.key(MediaKey.items)
            writer.array(self.items) { $1.writeAsNew(to: &$0) }
        }
        writer.optional(MediaKey.startIndex, self.startIndex)
        writer.optional(MediaKey.startTime, self.startTime)
        if let containerMetadata {
            writer.key(MediaKey.containerMetadata)
            containerMetadata.write(to: &writer)
        }
        writer.endObject()
    }
}

extension MediaQueueContainerMetadata {
    init(wire object: JSONView) {
        self.init(type: object.whole(MediaKey.containerType).map(Kind.init(rawValue:)) ?? .generic, title: object.word(MediaKey.title))
        self.duration = object.seconds(MediaKey.containerDuration)
        self.images = object.objects(MediaKey.containerImages, MediaImage.init(wire:)) ?? []
        self.sections = object.objects(MediaKey.sections, MediaMetadata.init(wire:)) ?? []
        self.authors = object.texts(MediaKey.authors) ?? []
        self.narrators = object.texts(MediaKey.narrators) ?? []
        self.publisher = object.word(MediaKey.publisher)
        self.releaseDate = object.word(MediaKey.releaseDate).flatMap(MediaDate.init)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(MediaKey.containerType, self.type.rawValue)
        writer.optional(MediaKey.title, self.title)
        writer.optional(MediaKey.containerDuration, self.duration)
        if !self.images.isEmpty {
            writer.key(MediaKey.containerImages)
            writer.array(self.images) { $1.write(to: &$0) }
        }
        if !self.sections.isEmpty {
            writer.key(MediaKey.sections)
            writer.array(self.sections) { $1.write(to: &$0) }
        }
        if !self.authors.isEmpty { writer.member(MediaKey.authors, self.authors) }
        if !self.narrators.isEmpty { writer.member(MediaKey.narrators, self.narrators) }
        writer.optional(MediaKey.publisher, self.publisher)
        writer.optional(MediaKey.releaseDate, self.releaseDate?.text)
        writer.endObject()
    }
}
