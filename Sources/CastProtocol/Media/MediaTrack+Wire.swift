import CastModels

extension MediaTrack {
    private enum Key {
        static let trackID = "trackId"
        static let type = "type"
        static let subtype = "subtype"
        static let name = "name"
        static let language = "language"
        static let contentID = "trackContentId"
        static let contentType = "trackContentType"
        static let roles = "roles"
        static let customData = "customData"
    }

    /// Reads an element of `tracks`; `nil` for one without an id, which nobody could choose.
    init?(wire object: JSONObject) {
        guard let id = object.whole(Key.trackID) else { return nil }
        self.init(trackID: id, type: Kind(wireValue: object.text(Key.type) ?? ""))
        self.subtype = object.word(Key.subtype)
        self.name = object.word(Key.name)
        self.language = object.word(Key.language)
        self.contentID = object.word(Key.contentID)
        self.contentType = object.word(Key.contentType)
        self.roles = object.texts(Key.roles) ?? []
        self.customData = object.any(Key.customData)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(Key.trackID, self.trackID)
        writer.member(Key.type, self.type.wireValue)
        writer.optional(Key.subtype, self.subtype)
        writer.optional(Key.name, self.name)
        writer.optional(Key.language, self.language)
        writer.optional(Key.contentID, self.contentID)
        writer.optional(Key.contentType, self.contentType)
        if !self.roles.isEmpty { writer.member(Key.roles, self.roles) }
        writer.optional(Key.customData, self.customData)
        writer.endObject()
    }
}

extension TextTrackStyle {
    private enum Key {
        static let foregroundColor = "foregroundColor"
        static let backgroundColor = "backgroundColor"
        static let edgeColor = "edgeColor"
        static let edgeType = "edgeType"
        static let windowColor = "windowColor"
        static let windowType = "windowType"
        static let windowRoundedCornerRadius = "windowRoundedCornerRadius"
        static let fontFamily = "fontFamily"
        static let fontGenericFamily = "fontGenericFamily"
        static let fontScale = "fontScale"
        static let fontStyle = "fontStyle"
        static let customData = "customData"
    }

    init(wire object: JSONObject) {
        self.init()
        self.foregroundColor = object.word(Key.foregroundColor)
        self.backgroundColor = object.word(Key.backgroundColor)
        self.edgeColor = object.word(Key.edgeColor)
        self.edgeType = object.word(Key.edgeType)
        self.windowColor = object.word(Key.windowColor)
        self.windowType = object.word(Key.windowType)
        self.windowRoundedCornerRadius = object.number(Key.windowRoundedCornerRadius)
        self.fontFamily = object.word(Key.fontFamily)
        self.fontGenericFamily = object.word(Key.fontGenericFamily)
        self.fontScale = object.number(Key.fontScale)
        self.fontStyle = object.word(Key.fontStyle)
        self.customData = object.any(Key.customData)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional(Key.foregroundColor, self.foregroundColor)
        writer.optional(Key.backgroundColor, self.backgroundColor)
        writer.optional(Key.edgeColor, self.edgeColor)
        writer.optional(Key.edgeType, self.edgeType)
        writer.optional(Key.windowColor, self.windowColor)
        writer.optional(Key.windowType, self.windowType)
        writer.optional(Key.windowRoundedCornerRadius, self.windowRoundedCornerRadius)
        writer.optional(Key.fontFamily, self.fontFamily)
        writer.optional(Key.fontGenericFamily, self.fontGenericFamily)
        writer.optional(Key.fontScale, self.fontScale)
        writer.optional(Key.fontStyle, self.fontStyle)
        writer.optional(Key.customData, self.customData)
        writer.endObject()
    }
}
