import CastModels

/// Reads a text style with the names of the contract (`edge_type`, `drop_shadow`) or of the Cast protocol (`edgeType`, `DROP_SHADOW`).
enum TextStyleArguments {
    static func parse(_ object: JSONObject, path: String = "text_style") throws(CommandRejection) -> TextTrackStyle {
        var reader = ArgumentReader(object, of: path)
        var style = TextTrackStyle()
        style.foregroundColor = try self.color("foreground_color", "foregroundColor", &reader)
        style.backgroundColor = try self.color("background_color", "backgroundColor", &reader)
        style.edgeColor = try self.color("edge_color", "edgeColor", &reader)
        style.windowColor = try self.color("window_color", "windowColor", &reader)
        if let (key, word) = try self.word("edge_type", "edgeType", &reader) {
            let type = TextTrackStyle.EdgeType(wireValue: word)
            if case .unknown = type { throw reader.wrong(key, "none, outline, drop_shadow, raised or depressed") }
            style.edgeType = type
        }
        if let (key, word) = try self.word("window_type", "windowType", &reader) {
            let type = TextTrackStyle.WindowType(wireValue: word)
            if case .unknown = type { throw reader.wrong(key, "none, normal or rounded_corners") }
            style.windowType = type
        }
        let radius = try reader.name("window_rounded_corner_radius", "windowRoundedCornerRadius")
        style.windowRoundedCornerRadius = try reader.number(radius, in: 0...10_000)
        style.fontFamily = try reader.text(try reader.name("font_family", "fontFamily"), maximumBytes: 200)
        if let (key, word) = try self.word("font_generic_family", "fontGenericFamily", &reader) {
            let family = TextTrackStyle.FontGenericFamily(wireValue: word)
            if case .unknown = family {
                throw reader.wrong(
                    key, "sans_serif, monospaced_sans_serif, serif, monospaced_serif, casual, cursive or small_capitals")
            }
            style.fontGenericFamily = family
        }
        style.fontScale = try reader.number(try reader.name("font_scale", "fontScale"), in: 0.01...10)
        if let (key, word) = try self.word("font_style", "fontStyle", &reader) {
            let fontStyle = TextTrackStyle.FontStyle(wireValue: word)
            if case .unknown = fontStyle { throw reader.wrong(key, "normal, bold, bold_italic or italic") }
            style.fontStyle = fontStyle
        }
        try reader.finish()
        guard style != TextTrackStyle() else { throw CommandRejection(.badPayload, "\(path): no property of a style is given.") }
        return style
    }

    private static func color(
        _ name: String, _ wire: String, _ reader: inout ArgumentReader
    ) throws(CommandRejection) -> TextTrackStyle.Color? {
        let key = try reader.name(name, wire)
        guard let value = reader.take(key) else { return nil }
        guard let color = value.stringValue.flatMap(TextTrackStyle.Color.init(hex:)) else {
            throw reader.wrong(key, "a colour like #RRGGBB or #RRGGBBAA")
        }
        return color
    }

    /// Reads a word and returns it in the Cast protocol's spelling, with the key that the client used.
    private static func word(
        _ name: String, _ wire: String, _ reader: inout ArgumentReader
    ) throws(CommandRejection) -> (key: String, word: String)? {
        let key = try reader.name(name, wire)
        return try reader.text(key, maximumBytes: 64).map { (key, $0.uppercased()) }
    }
}
