/// The picture of a device's media, as far as it was fetched.
package enum ArtworkImage: Sendable, Hashable {
    /// Not fetched since the start; the picture that an earlier run published is kept until then.
    case unknown
    /// No media with a picture is playing, or its picture cannot be fetched.
    case none
    /// The file, as its server sent it.
    case picture([UInt8])
}
