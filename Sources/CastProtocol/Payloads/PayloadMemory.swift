import CastModels

/// What a device said last and is likely to say again, kept by each link so that it is read once: many applications repeat `media`, most of
/// a MEDIA_STATUS, in every one of them. Bounded by one message.
package struct PayloadMemory: Sendable {
    /// The `media` object that came last.
    private(set) var text = RepeatedObject(key: MediaKey.media)
    /// The object that `media` was read from.
    private var object = JSONObject()
    private var media = MediaInformation()

    package init() {}

    /// Parses the text of a payload.
    mutating func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser.parse(text, &self.text) }

    /// Reads a `media` object of the text parsed last. The same object gives the same value, which whoever compares finds equal at once.
    mutating func media(_ object: JSONObject) -> MediaInformation {
        if !object.isEmpty, object.isCopy(of: self.object) { return self.media }
        let media = MediaInformation(wire: object)
        if object.isCopy(of: self.text.object) { (self.object, self.media) = (object, media) }
        return media
    }
}
