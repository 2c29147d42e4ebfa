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
    public enum HDRType: Sendable, Hashable {
        case sdr, hdr10, hlg, dolbyVision
        case unknown(String)

        /// The word on the wire. A bare `hdr` means HDR10.
        public init(wireValue: String) {
            switch wireValue.lowercased() {
            case "sdr": self = .sdr
            case "hdr", "hdr10": self = .hdr10
            case "hlg": self = .hlg
            case "dv", "dolby_vision": self = .dolbyVision
            default: self = .unknown(wireValue)
            }
        }

        /// The word on the wire.
        public var wireValue: String {
            switch self {
            case .sdr: "sdr"
            case .hdr10: "hdr10"
            case .hlg: "hlg"
            case .dolbyVision: "dv"
            case .unknown(let value): value
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
