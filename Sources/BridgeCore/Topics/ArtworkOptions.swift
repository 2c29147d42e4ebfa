/// Whether and how the pictures of what plays are fetched and published: the section `artwork` of the configuration.
package struct ArtworkOptions: Sendable, Hashable {
    /// Whether `artwork/image` has the picture itself.
    package var publishesImages: Bool
    /// The largest picture that is published, in bytes.
    package var imageByteLimit: Int
    /// The most that is kept on disk, in bytes; 0 keeps nothing.
    package var cacheByteLimit: Int
    /// Whether pictures are fetched from this machine and from link-local addresses.
    package var allowsLocalAddresses: Bool

    /// The defaults.
    package init(
        publishesImages: Bool = false, imageByteLimit: Int = 262_144, cacheByteLimit: Int = 67_108_864, allowsLocalAddresses: Bool = false
    ) {
        self.publishesImages = publishesImages
        self.imageByteLimit = imageByteLimit
        self.cacheByteLimit = cacheByteLimit
        self.allowsLocalAddresses = allowsLocalAddresses
    }
}
