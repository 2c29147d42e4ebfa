/// How pictures of media are fetched and published: the section `artwork` of the configuration.
package struct ArtworkOptions: Sendable, Hashable {
    /// Whether `artwork/image` is published with the picture itself.
    package var publishesImages: Bool
    /// The largest published picture, in bytes.
    package var imageByteLimit: Int
    /// The largest size of the cache on disk, in bytes; 0 disables it.
    package var cacheByteLimit: Int
    /// Whether pictures are fetched from this machine and from link-local addresses.
    package var allowsLocalAddresses: Bool

    /// Creates the default options.
    package init(
        publishesImages: Bool = false, imageByteLimit: Int = 262_144, cacheByteLimit: Int = 67_108_864, allowsLocalAddresses: Bool = false
    ) {
        self.publishesImages = publishesImages
        self.imageByteLimit = imageByteLimit
        self.cacheByteLimit = cacheByteLimit
        self.allowsLocalAddresses = allowsLocalAddresses
    }
}
