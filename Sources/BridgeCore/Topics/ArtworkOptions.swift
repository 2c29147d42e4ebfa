/// How pictures of media are fetched and published: the section `artwork` of the configuration.
public struct ArtworkOptions: Sendable, Hashable {
    /// Whether `artwork/image` is published with the picture itself.
    public var publishesImages = false
    public var imageByteLimit = 262_144
    /// The largest size of the cache on disk, in bytes; 0 disables it.
    public var cacheByteLimit = 67_108_864
    /// Whether pictures are fetched from this machine and from link-local addresses.
    public var allowsLocalAddresses = false

    public init() {}
}
