import CastModels

extension ConfigurationKey {
    /// The keys of `text_style`, named like the members of `set/text_style`.
    static let textStyle = [
        Self.color("foreground_color", "The colour of the text.", \.foregroundColor),
        Self.color("background_color", "The colour behind each character.", \.backgroundColor),
        Self.color("edge_color", "The colour of the characters' edges.", \.edgeColor),
        Self.word("edge_type", "The kind of edges of the characters.", \.edgeType),
        Self.color("window_color", "The colour of the box around the text.", \.windowColor),
        Self.word("window_type", "The kind of the box, or none.", \.windowType),
        Self.number(
            "window_rounded_corner_radius", 0...10_000, "The radius of the box's corners in pixels, with `rounded_corners`.",
            \.windowRoundedCornerRadius),
        Self.text("text_style.font_family", 200, \.textStyle.fontFamily, "The name of the font."),
        Self.word("font_generic_family", "The kind of font where the receiver lacks that font.", \.fontGenericFamily),
        Self.number("font_scale", 0.01...10, "The size of the text; 1 is the receiver's own.", \.fontScale),
        Self.word("font_style", "The style of the font.", \.fontStyle),
    ]

    private typealias StyleProperty<Value> = WritableKeyPath<TextTrackStyle, Value?> & Sendable

    private static func color(_ name: String, _ meaning: String, _ property: StyleProperty<TextTrackStyle.Color>) -> Self {
        ConfigurationKey("text_style.\(name)", "`#RRGGBB` or `#RRGGBBAA` in quotes, or null", default: "null", meaning) {
            $0.textStyle[keyPath: property] = try $1.optional { try $0.color() }
        }
    }

    private static func word<Value: WireWord>(_ name: String, _ meaning: String, _ property: StyleProperty<Value>) -> Self {
        let words = Value.words.map { $0.key.lowercased() }.joined(separator: ", ")
        return ConfigurationKey("text_style.\(name)", "\(words), or null", default: "null", meaning) {
            $0.textStyle[keyPath: property] = try $1.optional { try $0.wireWord() }
        }
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Double>, _ meaning: String, _ property: StyleProperty<Double>
    ) -> Self {
        ConfigurationKey("text_style.\(name)", "number, \(range.plainText), or null", default: "null", meaning) {
            $0.textStyle[keyPath: property] = try $1.optional { try $0.number(range) }
        }
    }
}
