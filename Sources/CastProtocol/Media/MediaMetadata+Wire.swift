import CastModels

extension MediaMetadata {
    /// Reads a `metadata` object. All but type and pictures stays as it came, since applications mix the fields of all types.
    init(wire object: JSONObject) {
        self.init(type: (object.whole(MediaKey.metadataType) ?? object.whole(MediaKey.legacyMetadataType)).map(Kind.init(rawValue:)))
        for member in object.members {
            switch member.key {
            case MediaKey.metadataType: continue
            case MediaKey.legacyMetadataType where member.value.intValue != nil: continue
            case MediaKey.images: self.images = (object.objects(MediaKey.images) ?? []).compactMap(MediaImage.init(wire:))
            default: if !member.value.isNull { self.fields.append(member.key, member.value) }
            }
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional(MediaKey.metadataType, self.type?.rawValue)
        for member in self.fields.members where !member.value.isNull && !Self.reservedNames.contains(member.key) {
            writer.member(member.key, member.value)
        }
        if !self.images.isEmpty {
            writer.key(MediaKey.images)
            writer.array(self.images) { $1.write(to: &$0) }
        }
        writer.endObject()
    }
}

extension MediaImage {
    /// Reads an element of `images`; `nil` for one without a URL.
    init?(wire object: JSONObject) {
        guard let url = object.word(MediaKey.url) else { return nil }
        self.init(url: url, width: object.whole(MediaKey.width), height: object.whole(MediaKey.height))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(MediaKey.url, self.url)
        writer.optional(MediaKey.width, self.width)
        writer.optional(MediaKey.height, self.height)
        writer.endObject()
    }
}
