import CastModels

/// A picture, as its server sent it.
public struct CachedImage: Sendable, Hashable {
    /// The requested address, including its secrets.
    public var url: String
    public var format: ImageFormat
    public var bytes: [UInt8]

    public init(url: String, format: ImageFormat, bytes: [UInt8]) {
        self.url = url
        self.format = format
        self.bytes = bytes
    }
}

/// Fetches pictures by their addresses. `ImageCache` is one.
public protocol ImageSource: Sendable {
    /// - Parameter url: an absolute http or https address.
    /// - Throws: the errors of `ImageCache.image(at:)`.
    func image(at url: String) async throws(CastError) -> CachedImage
}
