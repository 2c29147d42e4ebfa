/// The picture of what a device plays, as far as it was fetched.
package enum ArtworkImage: Sendable, Hashable {
    /// Not fetched yet since the start: what an earlier run published stands until then.
    case unknown
    /// Nothing with a picture plays, or its picture can't be had.
    case none
    /// The file as its server sent it.
    case picture([UInt8])
}
