import CastModels

/// What a picture is wanted for (SDK: `GCKUIImageHints`).
public struct ImageHints: Sendable, Hashable {
    public var purpose: Purpose
    /// Pixels of the place it is shown in, above 0.
    public var width: Int
    /// Pixels of the place it is shown in, above 0.
    public var height: Int

    /// - Parameters:
    ///   - width: pixels; `nil` takes what is usual for the purpose.
    ///   - height: pixels; `nil` takes what is usual for the purpose.
    public init(_ purpose: Purpose, width: Int? = nil, height: Int? = nil) {
        self.purpose = purpose
        self.width = max(1, width ?? purpose.usualSize.width)
        self.height = max(1, height ?? purpose.usualSize.height)
    }

    /// Where a picture is shown (SDK: `GCKMediaMetadataImageType`).
    public enum Purpose: Sendable, Hashable, CaseIterable {
        /// The dialog of the Cast button.
        case castDialog
        /// The bar at the foot of every page.
        case miniController
        /// The page of one device.
        case expandedController
        /// Lists: the queue, notifications.
        case thumbnail
        /// Behind everything, filling the screen.
        case background
        /// A place of the app's own; say its size.
        case custom

        /// Pixels.
        var usualSize: (width: Int, height: Int) {
            switch self {
            case .castDialog, .miniController: (128, 128)
            case .expandedController: (1280, 720)
            case .thumbnail, .custom: (256, 256)
            case .background: (1920, 1080)
            }
        }
    }
}

/// Chooses which of a medium's pictures to show where (SDK: `GCKUIImagePicker`). Replace it with `MediaDefaults.imagePicker`.
public protocol ImagePicker: Sendable {
    /// - Returns: `nil` when none should be shown.
    func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage?
}

/// Takes the picture that fills the place best: not blurred, then of the nearest shape, then of the smallest size.
///
/// Pictures of unknown size come last, in the order in which the medium lists them. Where it has no other, the poster is one of these.
public struct BestFitImagePicker: ImagePicker {
    public init() {}

    public func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? {
        let candidates = metadata.offeredImages
        let sized = candidates.compactMap { image in Fit(image, hints).map { (image, $0) } }
        // `min` takes the first of equal ones: the medium's own order.
        return sized.min { $0.1 < $1.1 }?.0 ?? candidates.first
    }

    /// How well a picture fits; less is better.
    private struct Fit: Comparable {
        /// How much it must be enlarged, in steps of a quarter; 0 when it need not be, or not so that anyone would see it.
        let enlargement: Int
        /// How far its shape is from the place's, in steps of a tenth; 0 for the same.
        let distortion: Int
        let pixels: Double

        init?(_ image: MediaImage, _ hints: ImageHints) {
            guard let width = image.width, let height = image.height, width > 0, height > 0 else { return nil }
            let (width64, height64) = (Double(width), Double(height))
            let enlargement = max(1, Double(hints.width) / width64, Double(hints.height) / height64)
            self.enlargement = Int((min(1000, enlargement - 1) * 4).rounded())
            let ratio = (width64 / height64) / (Double(hints.width) / Double(hints.height))
            self.distortion = Int((min(100, max(ratio, 1 / ratio) - 1) * 10).rounded())
            self.pixels = width64 * height64
        }

        static func < (left: Self, right: Self) -> Bool {
            (left.enlargement, left.distortion, left.pixels) < (right.enlargement, right.distortion, right.pixels)
        }
    }
}
