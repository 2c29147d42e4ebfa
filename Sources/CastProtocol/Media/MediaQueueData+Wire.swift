@_spi(JSON) import CastModels

extension MediaQueueData: WireObject {
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
        writer.optional(MediaKey.id, self.queueID)
        writer.optional(MediaKey.name, self.name)
        writer.optional(MediaKey.description, self.text)
        writer.optional(MediaKey.entity, self.entity)
        writer.optional(MediaKey.queueType, self.queueType?.wireValue)
        writer.optional(MediaKey.repeatMode, self.repeatMode?.wireValue)
        writer.optional(MediaKey.shuffle, self.shuffle)
        writer.list(MediaKey.items, self.items.map(\.asNew))
        writer.optional(MediaKey.startIndex, self.startIndex)
        writer.optional(MediaKey.startTime, self.startTime)
        writer.optional(MediaKey.containerMetadata, self.containerMetadata)
    }
}

extension MediaQueueContainerMetadata: WireObject {
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
        writer.member(MediaKey.containerType, self.type.rawValue)
        writer.optional(MediaKey.title, self.title)
        writer.optional(MediaKey.containerDuration, self.duration)
        writer.list(MediaKey.containerImages, self.images)
        writer.list(MediaKey.sections, self.sections)
        if !self.authors.isEmpty { writer.member(MediaKey.authors, self.authors) }
        if !self.narrators.isEmpty { writer.member(MediaKey.narrators, self.narrators) }
        writer.optional(MediaKey.publisher, self.publisher)
        writer.optional(MediaKey.releaseDate, self.releaseDate?.text)
    }
}
