/// Width, height and dynamic range of the video that plays.
public struct VideoInfo: Sendable, Hashable {
    /// Pixels.
    public var width: Int?
    /// Pixels.
    public var height: Int?
    public var hdrType: HDRType?

    public init(width: Int? = nil, height: Int? = nil, hdrType: HDRType? = nil) {
        self.width = width
        self.height = height
        self.hdrType = hdrType
    }

    /// The dynamic range; the wire says `sdr`, `hdr`, `hdr10`, `hlg` or `dv`.
    public enum HDRType: WireWord {
        case sdr, hdr10, hlg, dolbyVision
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["sdr": .sdr, "hdr10": .hdr10, "hlg": .hlg, "dv": .dolbyVision]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }

        /// The value of a word on the wire, in any case. A bare `hdr` means HDR10.
        public init(wireValue: String) {
            switch wireValue.lowercased() {
            case "hdr": self = .hdr10
            case "dolby_vision": self = .dolbyVision
            case let word: self = Self.words.first { $0.key == word }?.value ?? .unknown(wireValue)
            }
        }
    }
}

/// The part of a live stream that can be sought, in seconds of its own time line.
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
