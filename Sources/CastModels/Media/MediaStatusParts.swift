/// The width, height and dynamic range of the video that is playing.
public struct VideoInfo: Sendable, Hashable {
    /// The width in pixels.
    public var width: Int?
    /// The height in pixels.
    public var height: Int?
    public var hdrType: HDRType?

    public init(width: Int? = nil, height: Int? = nil, hdrType: HDRType? = nil) {
        self.width = width
        self.height = height
        self.hdrType = hdrType
    }

    /// The dynamic range; on the wire `sdr`, `hdr`, `hdr10`, `hlg` or `dv`.
    public enum HDRType: WireWord {
        case sdr, hdr10, hlg, dolbyVision
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["sdr": .sdr, "hdr10": .hdr10, "hlg": .hlg, "dv": .dolbyVision]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }

        /// Creates the value from the word on the wire, in any case. A bare `hdr` means HDR10.
        public init(wireValue: String) {
            switch wireValue.lowercased() {
            case "hdr": self = .hdr10
            case "dolby_vision": self = .dolbyVision
            case let word: self = Self.words.first { $0.key == word }?.value ?? .unknown(wireValue)
            }
        }
    }
}

/// The part of a live stream that can be seeked to, in seconds of its own time line.
public struct LiveSeekableRange: Sendable, Hashable {
    public var start: Double
    public var end: Double
    public var isMovingWindow: Bool
    public var isLiveDone: Bool

    public init(start: Double, end: Double, isMovingWindow: Bool = false, isLiveDone: Bool = false) {
        self.start = start
        self.end = end
        self.isMovingWindow = isMovingWindow
        self.isLiveDone = isLiveDone
    }
}
