import CastModels

/// Colours, font and corners of the page: for all of it, for the light and the dark look, and for single widgets.
package struct PageTheme: Sendable, Hashable {
    package var base = Style()
    package var light = Style()
    package var dark = Style()
    /// Beats the others.
    package var widgets: [Widget: Style] = [:]

    package init() {}

    /// What `nil` leaves to the page.
    package struct Style: Sendable, Hashable {
        package var accent: TextTrackStyle.Color?
        package var background: TextTrackStyle.Color?
        package var surface: TextTrackStyle.Color?
        package var text: TextTrackStyle.Color?
        package var font: String?
        /// Of corners, in pixels.
        package var radius: Int?

        package init() {}

        package static let colors: [(name: String, property: WritableKeyPath<Style, TextTrackStyle.Color?> & Sendable)] = [
            ("accent", \.accent), ("background", \.background), ("surface", \.surface), ("text", \.text),
        ]

        var members: [(key: String, value: JSONValue)] {
            var members = Self.colors.compactMap { name, property in
                self[keyPath: property].map { color in
                    // Short where it is opaque: the page reads both, but judges the contrast of the short form alone.
                    (key: name, value: JSONValue.string(color.alpha == 255 ? String(color.hex.dropLast(2)) : color.hex))
                }
            }
            if let font { members.append(("font", .string(font))) }
            if let radius { members.append(("radius", .integer(Int64(radius)))) }
            return members
        }
    }

    /// A part of the page that has a style of its own.
    package enum Widget: String, Sendable, Hashable, CaseIterable {
        case castButton = "cast_button"
        case introduction
        case castDialog = "cast_dialog"
        case deviceList = "device_list"
        case miniController = "mini_controller"
        case expandedController = "expanded_controller"
        case queue
    }
}

extension PageOptions {
    /// What the page reads: the members of `web.page`.
    package var json: JSONObject {
        var introduction = JSONObject()
        introduction.append("enabled", .bool(self.introduction.isEnabled))
        introduction.append("text", self.introduction.text.json)
        introduction.append("title", self.introduction.title.json)
        introduction.append("title_position", .string(self.introduction.titlePosition.rawValue))
        introduction.append("dismiss", self.introduction.dismiss.json)
        var buttons = JSONObject()
        for button in self.customButtons {
            var object = JSONObject()
            object.append("icon", .string(button.icon))
            object.append("label", .string(button.label))
            object.append("command", .string(button.command))
            object.append("payload", .string(button.payload))
            buttons.append(button.name, .object(object))
        }
        var page = JSONObject()
        page.append("title", .string(self.title))
        page.append("language", .string(self.language.rawValue))
        page.append("introduction", .object(introduction))
        page.append("mini_slots", .array(self.miniSlots.map { .string($0.word) }))
        page.append("expanded_slots", .array(self.expandedSlots.map { .string($0.word) }))
        page.append("custom_buttons", .object(buttons))
        page.append("opens_expanded", .bool(self.opensExpanded))
        page.append("theme", .object(self.theme.json))
        return page
    }
}

extension PageTheme {
    /// Only what is set: the members of all, then `light`, `dark` and the widgets.
    package var json: JSONObject {
        var object = JSONObject()
        for member in self.base.members { object.append(member.key, member.value) }
        let parts = [("light", self.light), ("dark", self.dark)] + Widget.allCases.map { ($0.rawValue, self.widgets[$0] ?? Style()) }
        for (name, style) in parts where !style.members.isEmpty {
            var part = JSONObject()
            for member in style.members { part.append(member.key, member.value) }
            object.append(name, .object(part))
        }
        return object
    }
}

extension String? {
    fileprivate var json: JSONValue { self.map(JSONValue.string) ?? .null }
}
