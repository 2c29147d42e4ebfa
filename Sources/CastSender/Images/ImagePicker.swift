import CastModels

/// The purpose and size of a picture (SDK: `GCKUIImageHints`).
public struct ImageHints: Sendable, Hashable {
    public var purpose: Purpose
    /// The width of the place in pixels, above 0.
    public var width: Int
    /// The height of the place in pixels, above 0.
    public var height: Int

    /// - Parameters:
    ///   - purpose: where the picture is shown.
    ///   - width: pixels; `nil` selects the usual width for the purpose.
    ///   - height: pixels; `nil` selects the usual height for the purpose.
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
        /// A place of the app's own; pass its size.
        case custom

        /// The usual size in pixels.
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

/// Selects the picture of a medium for a purpose (SDK: `GCKUIImagePicker`). Replace it with `MediaDefaults.imagePicker`.
public protocol ImagePicker: Sendable {
    /// Returns the picture to show.
    /// - Returns: `nil` when no picture should be shown.
    func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage?
}

/// Selects the picture that fits the place best: not enlarged, then of the nearest shape, then the smallest.
///
/// Pictures of unknown size come last, in the order in which the medium lists them. If the medium lists no pictures, its poster is treated
/// as one of these.
public struct BestFitImagePicker: ImagePicker {
    public init() {}

    public func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? {
        let candidates = metadata.offeredImages
        let sized = candidates.compactMap { image in Fit(image, hints).map { (image, $0) } }
        // `min` returns the first of equal elements, which preserves the medium's order.
        return sized.min { $0.1 < $1.1 }?.0 ?? candidates.first
    }

    /// How well a picture fits; smaller is better.
    private struct Fit: Comparable {
        /// How much the picture must be enlarged, in steps of a quarter; 0 when no enlargement is visible.
        let enlargement: Int
        /// The difference in shape from the place, in steps of a tenth; 0 for the same shape.
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
