import CastModels

/// Selects the first picture of the medium, else its poster, like the SDK's own picker. The default.
public struct FirstImagePicker: ImagePicker {
    public init() {}

    public func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? { metadata.offeredImages.first }
}

extension MediaMetadata {
    /// The pictures that the medium lists; if it lists none, its poster.
    var offeredImages: [MediaImage] { self.images.isEmpty ? self[.posterURL].map { [MediaImage(url: $0)] } ?? [] : self.images }
}
