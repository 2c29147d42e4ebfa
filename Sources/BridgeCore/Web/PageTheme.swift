import CastModels

/// Colours, font and corners of the page: for all of it, for the light and the dark look, and for single widgets.
public struct PageTheme: Sendable, Hashable {
    public var base = Style()
    public var light = Style()
    public var dark = Style()
    /// Beats the others.
    public var widgets: [Widget: Style] = [:]

    public init() {}

    /// What `nil` leaves to the page.
    public struct Style: Sendable, Hashable {
        public var accent: TextTrackStyle.Color?
        public var background: TextTrackStyle.Color?
        public var surface: TextTrackStyle.Color?
        public var text: TextTrackStyle.Color?
        public var font: String?
        /// Of corners, in pixels.
        public var radius: Int?

        public init() {}

        public static let colors: [(name: String, property: WritableKeyPath<Style, TextTrackStyle.Color?> & Sendable)] = [
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
    public enum Widget: String, Sendable, Hashable, CaseIterable {
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
    public var json: JSONObject {
        let introduction: JSONObject = [
            "enabled": .bool(self.introduction.isEnabled), "text": self.introduction.text.json, "title": self.introduction.title.json,
            "title_position": .string(self.introduction.titlePosition.rawValue), "dismiss": self.introduction.dismiss.json,
        ]
        let buttons = self.customButtons.map { button in
            let members: JSONObject = [
                "icon": .string(button.icon), "label": .string(button.label), "command": .string(button.command),
                "payload": .string(button.payload),
            ]
            return (button.name, JSONValue.object(members))
        }
        return [
            "title": .string(self.title), "language": .string(self.language.rawValue), "introduction": .object(introduction),
            "mini_slots": .array(self.miniSlots.map { .string($0.word) }),
            "expanded_slots": .array(self.expandedSlots.map { .string($0.word) }), "custom_buttons": .object(JSONObject(buttons)),
            "opens_expanded": .bool(self.opensExpanded), "theme": .object(self.theme.json),
        ]
    }
}

extension PageTheme {
    /// Only what is set: the members of all, then `light`, `dark` and the widgets.
    public var json: JSONObject {
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
