import CastModels

extension MediaMetadata {
    private enum Key {
        static let type = "metadataType"
        /// What old senders call it.
        static let legacyType = "type"
        static let images = "images"
    }

    /// Reads a `metadata` object. All but type and pictures stays as it came, since applications mix the fields of all types.
    init(wire object: JSONObject) {
        self.init(type: (object.whole(Key.type) ?? object.whole(Key.legacyType)).map(Kind.init(rawValue:)))
        for member in object.members {
            switch member.key {
            case Key.type: continue
            case Key.legacyType where member.value.intValue != nil: continue
            case Key.images: self.images = (object.objects(Key.images) ?? []).compactMap(MediaImage.init(wire:))
            default: if !member.value.isNull { self.fields.append(member.key, member.value) }
            }
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optional(Key.type, self.type?.rawValue)
        for member in self.fields.members where !member.value.isNull { writer.member(member.key, member.value) }
        if !self.images.isEmpty {
            writer.key(Key.images)
            writer.array(self.images) { $1.write(to: &$0) }
        }
        writer.endObject()
    }
}

extension MediaImage {
    /// Reads an element of `images`; `nil` for one without a URL.
    init?(wire object: JSONObject) {
        guard let url = object.word("url") else { return nil }
        self.init(url: url, width: object.whole("width"), height: object.whole("height"))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("url", self.url)
        writer.optional("width", self.width)
        writer.optional("height", self.height)
        writer.endObject()
    }
}
