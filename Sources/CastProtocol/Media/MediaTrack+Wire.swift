@_spi(JSON) import CastModels

extension MediaTrack: WireObject {
    /// Reads an element of `tracks`; `nil` for one without an id, which cannot be selected.
    init?(wire object: JSONView) {
        guard let id = object.whole(MediaKey.trackID) else { return nil }
        self.init(trackID: id, type: Kind(wireValue: object.text(MediaKey.type) ?? ""))
        self.subtype = object.word(MediaKey.subtype).map(Subtype.init(wireValue:))
        self.name = object.word(MediaKey.name)
        self.language = object.word(MediaKey.language)
        self.contentID = object.word(MediaKey.trackContentID)
        self.contentType = object.word(MediaKey.trackContentType)
        self.roles = object.texts(MediaKey.roles) ?? []
        self.isInband = object.flag(MediaKey.isInband)
        self.customData = object.any(MediaKey.customData)
    }

    func write(to writer: inout JSONWriter) {
        writer.member(MediaKey.trackID, self.trackID)
        writer.member(MediaKey.type, self.type.wireValue)
        writer.optional(MediaKey.subtype, self.subtype?.wireValue)
        writer.optional(MediaKey.name, self.name)
        writer.optional(MediaKey.language, self.language)
        writer.optional(MediaKey.trackContentID, self.contentID)
        writer.optional(MediaKey.trackContentType, self.contentType)
        if !self.roles.isEmpty { writer.member(MediaKey.roles, self.roles) }
        writer.optional(MediaKey.isInband, self.isInband)
        writer.optional(MediaKey.customData, self.customData)
    }
}
