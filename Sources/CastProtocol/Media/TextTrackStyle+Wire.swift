@_spi(JSON) import CastModels

extension TextTrackStyle: WireObject {
    init(wire object: JSONView) {
        self.init()
        self.foregroundColor = object.word(MediaKey.foregroundColor).flatMap(Color.init(hex:))
        self.backgroundColor = object.word(MediaKey.backgroundColor).flatMap(Color.init(hex:))
        self.edgeColor = object.word(MediaKey.edgeColor).flatMap(Color.init(hex:))
        self.edgeType = object.word(MediaKey.edgeType).map(EdgeType.init(wireValue:))
        self.windowColor = object.word(MediaKey.windowColor).flatMap(Color.init(hex:))
        self.windowType = object.word(MediaKey.windowType).map(WindowType.init(wireValue:))
        self.windowRoundedCornerRadius = object.number(MediaKey.windowRoundedCornerRadius)
        self.fontFamily = object.word(MediaKey.fontFamily)
        self.fontGenericFamily = object.word(MediaKey.fontGenericFamily).map(FontGenericFamily.init(wireValue:))
        self.fontScale = object.number(MediaKey.fontScale)
        self.fontStyle = object.word(MediaKey.fontStyle).map(FontStyle.init(wireValue:))
        self.customData = object.any(MediaKey.customData)
    }

    func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.foregroundColor, self.foregroundColor?.hex)
        writer.optional(MediaKey.backgroundColor, self.backgroundColor?.hex)
        writer.optional(MediaKey.edgeColor, self.edgeColor?.hex)
        writer.optional(MediaKey.edgeType, self.edgeType?.wireValue)
        writer.optional(MediaKey.windowColor, self.windowColor?.hex)
        writer.optional(MediaKey.windowType, self.windowType?.wireValue)
        writer.optional(MediaKey.windowRoundedCornerRadius, self.windowRoundedCornerRadius)
        writer.optional(MediaKey.fontFamily, self.fontFamily)
        writer.optional(MediaKey.fontGenericFamily, self.fontGenericFamily?.wireValue)
        writer.optional(MediaKey.fontScale, self.fontScale)
        writer.optional(MediaKey.fontStyle, self.fontStyle?.wireValue)
        writer.optional(MediaKey.customData, self.customData)
    }
}
