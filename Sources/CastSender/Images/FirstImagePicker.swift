import CastModels

/// Takes the first picture of the medium, else its poster, as the SDK's own picker does. The default.
public struct FirstImagePicker: ImagePicker {
    public init() {}

    public func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? { metadata.offeredImages.first }
}

extension MediaMetadata {
    /// The pictures that the medium lists; where it lists none, its poster.
    var offeredImages: [MediaImage] { self.images.isEmpty ? self[.posterURL].map { [MediaImage(url: $0)] } ?? [] : self.images }
}
