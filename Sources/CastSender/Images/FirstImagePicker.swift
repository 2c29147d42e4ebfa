import CastModels

/// Selects the first picture of the medium, else its poster, like the SDK's own picker. The default.
public struct FirstImagePicker: ImagePicker {
    public init() {}

    public func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? { metadata.offeredImages.first }
}
