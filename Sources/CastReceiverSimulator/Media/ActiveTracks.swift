/// The active tracks of a session's current item, and the style of its text.
struct ActiveTracks: Sendable {
    private var activeIDs: [Int] = []
    private(set) var style: JSON?

    var json: JSON { .array(self.activeIDs.map(JSON.integer)) }

    /// Begins a session with `item`: activates `activeIDs`, or the tracks that the item names when there are none, and takes the item's style.
    mutating func begin(_ item: MediaItem, activeIDs: [Int] = []) {
        self.activeIDs = activeIDs.isEmpty ? item.activeTrackIDs : activeIDs
        self.style = item.media["textTrackStyle"]
    }

    /// The session reaches another item, whose tracks apply; the style stays.
    mutating func `continue`(with item: MediaItem) { self.activeIDs = item.activeTrackIDs }

    /// Activates exactly these tracks; returns `false` when the item lacks one of them.
    mutating func activate(_ ids: [Int], of item: MediaItem) -> Bool {
        let known = item.tracks.compactMap { $0["trackId"]?.int }
        guard ids.allSatisfy(known.contains) else { return false }
        self.activeIDs = ids
        return true
    }

    /// Activates the first track of a type (`TEXT`, `AUDIO`) in a language in place of others of its type; returns `false` without one.
    ///
    /// A language matches another that differs only in its region: `en` and `en-GB`.
    mutating func activate(type: String, language: String, of item: MediaItem) -> Bool {
        func primary(_ text: String) -> Substring { text.lowercased()[...].prefix { $0 != "-" } }
        let candidates = item.tracks.filter { $0["type"]?.text == type && $0["language"]?.text != nil }
        let exact = candidates.first { $0["language"]?.text?.lowercased() == language.lowercased() }
        let found = exact ?? candidates.first { primary($0["language"]?.text ?? "") == primary(language) }
        guard let id = found?["trackId"]?.int else { return false }
        self.deactivate(type: type, of: item)
        self.activeIDs.append(id)
        return true
    }

    mutating func deactivate(type: String, of item: MediaItem) { self.activeIDs.removeAll(where: item.trackIDs(type: type).contains) }

    /// Activates the first text track unless one is active; returns `false` when there is none.
    mutating func enableText(of item: MediaItem) -> Bool {
        let ids = item.trackIDs(type: "TEXT")
        if self.activeIDs.contains(where: ids.contains) { return true }
        guard let first = ids.first else { return false }
        self.activeIDs.append(first)
        return true
    }

    /// Changes the members that `style` contains.
    mutating func merge(style: JSON) {
        guard case .object(let members) = style else { return }
        var merged = self.style ?? .object([])
        for member in members { merged[member.name] = member.value }
        self.style = merged
    }
}

extension MediaItem {
    fileprivate var tracks: [JSON] { self.media["tracks"]?.elements ?? [] }

    fileprivate func trackIDs(type: String) -> [Int] {
        self.tracks.filter { $0["type"]?.text == type }.compactMap { $0["trackId"]?.int }
    }
}

/// The values that TextTrackStyle permits.
enum TextTrackStyleRules {
    private static let enumerations: [String: Set<String>] = [
        "edgeType": ["NONE", "OUTLINE", "DROP_SHADOW", "RAISED", "DEPRESSED"],
        "fontGenericFamily": [
            "SANS_SERIF", "MONOSPACED_SANS_SERIF", "SERIF", "MONOSPACED_SERIF", "CASUAL", "CURSIVE", "SMALL_CAPITALS",
        ],
        "fontStyle": ["NORMAL", "BOLD", "BOLD_ITALIC", "ITALIC"],
        "windowType": ["NONE", "NORMAL", "ROUNDED_CORNERS"],
    ]
    private static let colors: Set = ["foregroundColor", "backgroundColor", "edgeColor", "windowColor"]
    private static let numbers: Set = ["fontScale", "windowRoundedCornerRadius"]

    /// Returns whether every known member has a value of its type; unknown members are permitted.
    static func allow(_ style: JSON) -> Bool {
        guard case .object(let members) = style else { return false }
        return members.allSatisfy { member in
            if member.value.isNull { return true }
            if let values = self.enumerations[member.name] { return member.value.text.map(values.contains) ?? false }
            if self.colors.contains(member.name) { return member.value.text.map(self.isColor) ?? false }
            if self.numbers.contains(member.name) { return (member.value.double ?? -1) >= 0 }
            return true
        }
    }

    /// Returns whether the text has the form `#RRGGBBAA`.
    private static func isColor(_ text: String) -> Bool {
        text.utf8.count == 9 && text.hasPrefix("#") && text.dropFirst().allSatisfy(\.isHexDigit)
    }
}
