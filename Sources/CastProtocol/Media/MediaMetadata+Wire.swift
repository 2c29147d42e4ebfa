@_spi(JSON) import CastModels

extension MediaMetadata: WireObject {
    /// Reads a `metadata` object. All members except type and pictures are kept unchanged, because applications mix the fields of all
    /// types.
    init(wire object: JSONView) {
        self.init(type: (object.whole(MediaKey.metadataType) ?? object.whole(MediaKey.legacyMetadataType)).map(Kind.init(rawValue:)))
        var fields: [JSONObject.Member] = []
        fields.reserveCapacity(object.members.underestimatedCount)
        for (key, value) in object.members {
            switch key {
            case MediaKey.metadataType: continue
            case MediaKey.legacyMetadataType where value.intValue != nil: continue
            case MediaKey.images: self.images = value.objects(MediaImage.init(wire:)) ?? []
            default: if let value = value.any { fields.append(.init(key: key.string, value: value)) }
            }
        }
        self.fields = JSONObject(members: fields)
    }

    func write(to writer: inout JSONWriter) {
        writer.optional(MediaKey.metadataType, self.type?.rawValue)
        for member in self.fields.members where !member.value.isNull && !Self.reservedNames.contains(member.key) {
            writer.member(member.key, member.value)
        }
        writer.list(MediaKey.images, self.images)
    }
}

extension MediaImage: WireObject {
    /// Reads an element of `images`; `nil` for one without a URL.
    init?(wire object: JSONView) {
        guard let url = object.word(MediaKey.url) else { return nil }
        self.init(url: PictureAddress.resolved(url), width: object.whole(MediaKey.width), height: object.whole(MediaKey.height))
    }

    func write(to writer: inout JSONWriter) {
        writer.member(MediaKey.url, self.url)
        writer.optional(MediaKey.width, self.width)
        writer.optional(MediaKey.height, self.height)
    }
}
