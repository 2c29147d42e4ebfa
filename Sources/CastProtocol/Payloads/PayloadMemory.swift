@_spi(JSON) import CastModels

/// The last `media` object of a device with its text, kept by each link. Many applications repeat it in every MEDIA_STATUS, of which it is
/// the largest part. Parsing it each time costs 10 000 instructions of a pause, and comparing the value afterwards, which is then no copy,
/// 22 000: together a quarter. Bounded by one message.
package struct PayloadMemory: Sendable {
    private(set) var object = RepeatedObject()
    private var media = MediaInformation()

    package init() {}

    /// Reads a `media` object of a text that was read with `object`. The same text returns a copy of the same value, which compares as
    /// equal at once.
    mutating func media(_ object: JSONView) -> MediaInformation {
        if self.object.isText(of: object) { return self.media }
        self.media = MediaInformation(wire: object)
        self.object = RepeatedObject(object)
        return self.media
    }
}
