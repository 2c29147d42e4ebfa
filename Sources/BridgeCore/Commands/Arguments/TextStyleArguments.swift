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
        style.edgeType = try reader.word(
            try reader.name("edge_type", "edgeType"), "none, outline, drop_shadow, raised or depressed", maximumBytes: 64)
        style.windowType = try reader.word(
            try reader.name("window_type", "windowType"), "none, normal or rounded_corners", maximumBytes: 64)
        let radius = try reader.name("window_rounded_corner_radius", "windowRoundedCornerRadius")
        style.windowRoundedCornerRadius = try reader.number(radius, in: 0...10_000)
        style.fontFamily = try reader.text(try reader.name("font_family", "fontFamily"), maximumBytes: 200)
        style.fontGenericFamily = try reader.word(
            try reader.name("font_generic_family", "fontGenericFamily"),
            "sans_serif, monospaced_sans_serif, serif, monospaced_serif, casual, cursive or small_capitals", maximumBytes: 64)
        style.fontScale = try reader.number(try reader.name("font_scale", "fontScale"), in: 0.01...10)
        style.fontStyle = try reader.word(
            try reader.name("font_style", "fontStyle"), "normal, bold, bold_italic or italic", maximumBytes: 64)
        try reader.finish()
        guard style != TextTrackStyle() else { throw CommandRejection(.badPayload, "\(path): no property of a style is given.") }
        return style
    }

    private static func color(
        _ name: String, _ wire: String, _ reader: inout ArgumentReader
    ) throws(CommandRejection) -> TextTrackStyle.Color? {
        try reader.value(try reader.name(name, wire), "a colour like #RRGGBB or #RRGGBBAA") { value in
            value.stringValue.flatMap(TextTrackStyle.Color.init(hex:))
        }
    }
}
