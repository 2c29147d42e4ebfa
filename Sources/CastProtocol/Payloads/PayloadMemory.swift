@_spi(JSON) import CastModels

/// The last `media` object of a device with its text, kept by each link: many applications repeat it, most of a MEDIA_STATUS, in every one.
/// Read each time it costs 12 000 instructions more, 6 % of a pause. Bounded by one message.
package struct PayloadMemory: Sendable {
    private(set) var object = RepeatedObject()
    private var media = MediaInformation()

    package init() {}

    /// Reads a `media` object of a text that was read with `object`. The same text gives the same value, which any comparison finds equal at
    /// once.
    mutating func media(_ object: JSONView) -> MediaInformation {
        if self.object.isText(of: object) { return self.media }
        self.media = MediaInformation(wire: object)
        self.object = RepeatedObject(object)
        return self.media
    }
}
