/// The look of text tracks (SDK: `GCKMediaTextTrackStyle`; wire: `textTrackStyle`). `nil` leaves a property to the receiver.
public struct TextTrackStyle: Sendable, Hashable {
    public var foregroundColor: Color?
    public var backgroundColor: Color?
    public var edgeColor: Color?
    public var edgeType: EdgeType?
    public var windowColor: Color?
    public var windowType: WindowType?
    /// Pixels, 0 or more; applies to `windowType` `.roundedCorners`.
    public var windowRoundedCornerRadius: Double?
    public var fontFamily: String?
    /// The family to use when the receiver does not have `fontFamily`.
    public var fontGenericFamily: FontGenericFamily?
    /// The scale of the text: 1 is the default size; above 0 and at most 10.
    public var fontScale: Double?
    public var fontStyle: FontStyle?
    public var customData: JSONValue?

    /// Creates a style that leaves every property to the receiver.
    public init() {}

    /// White text with an outline on a translucent black background, in the receiver's size; readable on any picture.
    public static let standard: Self = {
        var style = Self()
        style.foregroundColor = .white
        style.backgroundColor = Color(red: 0, green: 0, blue: 0, alpha: 128)
        style.edgeColor = .black
        style.edgeType = .outline
        style.windowType = WindowType.none
        style.fontGenericFamily = .sansSerif
        style.fontScale = 1
        style.fontStyle = .normal
        return style
    }()

    /// Returns this style, with every property that `other` sets taken from `other`.
    public func merged(with other: Self) -> Self {
        var style = self
        style.foregroundColor = other.foregroundColor ?? self.foregroundColor
        style.backgroundColor = other.backgroundColor ?? self.backgroundColor
        style.edgeColor = other.edgeColor ?? self.edgeColor
        style.edgeType = other.edgeType ?? self.edgeType
        style.windowColor = other.windowColor ?? self.windowColor
        style.windowType = other.windowType ?? self.windowType
        style.windowRoundedCornerRadius = other.windowRoundedCornerRadius ?? self.windowRoundedCornerRadius
        style.fontFamily = other.fontFamily ?? self.fontFamily
        style.fontGenericFamily = other.fontGenericFamily ?? self.fontGenericFamily
        style.fontScale = other.fontScale ?? self.fontScale
        style.fontStyle = other.fontStyle ?? self.fontStyle
        style.customData = other.customData ?? self.customData
        return style
    }

    /// Checks for values that no receiver can show.
    ///
    /// - Throws: `invalidRequest` with `path` and the property as its argument.
    package func validate(_ path: String) throws(CastError) {
        if let fontScale, !(fontScale > 0 && fontScale <= 10) {
            throw .invalidArgument("\(path).fontScale", "a number above 0 and at most 10, not \(fontScale)")
        }
        try CastError.check(self.windowRoundedCornerRadius, in: 0...10_000, "\(path).windowRoundedCornerRadius")
        try CastError.checkText(self.fontFamily, "\(path).fontFamily")
    }
}

extension TextTrackStyle {
    /// The edge of each letter.
    public enum EdgeType: WireWord {
        case none, outline, dropShadow, raised, depressed
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = [
            "NONE": .none, "OUTLINE": .outline, "DROP_SHADOW": .dropShadow, "RAISED": .raised, "DEPRESSED": .depressed,
        ]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// The shape of the box behind the text.
    public enum WindowType: WireWord {
        case none, normal, roundedCorners
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["NONE": .none, "NORMAL": .normal, "ROUNDED_CORNERS": .roundedCorners]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// A kind of font that every receiver has.
    public enum FontGenericFamily: WireWord {
        case sansSerif, monospacedSansSerif, serif, monospacedSerif, casual, cursive, smallCapitals
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = [
            "SANS_SERIF": .sansSerif, "MONOSPACED_SANS_SERIF": .monospacedSansSerif, "SERIF": .serif,
            "MONOSPACED_SERIF": .monospacedSerif, "CASUAL": .casual, "CURSIVE": .cursive, "SMALL_CAPITALS": .smallCapitals,
        ]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// The weight and slant of the letters.
    public enum FontStyle: WireWord {
        case normal, bold, boldItalic, italic
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = [
            "NORMAL": .normal, "BOLD": .bold, "BOLD_ITALIC": .boldItalic, "ITALIC": .italic,
        ]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }
}
