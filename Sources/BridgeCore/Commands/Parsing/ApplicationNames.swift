import CastModels

/// Finds receiver applications by id or by a name.
struct ApplicationNames: Sendable, Hashable {
    private var configured: [String: String] = [:]
    /// The applications that the device was seen to run.
    var recent = RecentApplications()

    /// - Parameter named: the user's names; they take precedence over the well-known ones, and the first over later ones.
    init(_ named: [NamedApplication] = []) {
        for application in named {
            let key = Self.folded(application.name)
            if self.configured[key] == nil { self.configured[key] = application.id }
        }
    }

    /// Returns the id for `text`: a known name in any spelling (`YouTube`, `default media receiver`), an application id, or the name that an
    /// application of the device reports; otherwise `nil`. So an application can't take the name of a known one or the id of another.
    func id(for text: String) -> String? {
        let name = Self.folded(text)
        return (name.isEmpty ? nil : self.configured[name] ?? Self.wellKnown[name]) ?? Self.applicationID(text) ?? self.recent.id(for: text)
    }

    /// Returns `text` as an application id, in its usual spelling; `nil` when it is not one.
    static func applicationID(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let isHexadecimal = { (byte: UInt8) in Character(Unicode.Scalar(byte)).isHexDigit }
        if bytes.count == 8, bytes.allSatisfy(isHexadecimal) { return text.uppercased() }
        // Ids assigned to developers are a UUID followed by a number.
        let halves = text.split(separator: "_", omittingEmptySubsequences: false)
        let groups = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard groups == [8, 4, 4, 4, 12], halves[0].utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: "-") }), halves.count <= 2
        else { return nil }
        if halves.count == 2 {
            guard (1...4).contains(halves[1].utf8.count), halves[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        }
        return text
    }

    /// Returns the letters and digits of any script, because spellings of a name differ only in other characters.
    static func folded(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }

    private static let wellKnown: [String: String] = [
        "default": ReceiverApplication.defaultMediaReceiver, "defaultmediareceiver": ReceiverApplication.defaultMediaReceiver,
        "dmr": ReceiverApplication.defaultMediaReceiver, "backdrop": "E8C28D3C", "spotify": "CC32E753", "youtube": "233637DE",
        "youtubemusic": "2DB7CC49", "netflix": "CA5E8412", "plex": "06ee44ee-e7e3-4249-83b6-f5d0b6f07f34_1", "dashcast": "84912283",
        "homeassistant": "A078F6B0", "homeassistantlovelace": "A078F6B0", "homeassistantmedia": "B45F4572", "bbciplayer": "5E81F6DB",
        "bbcsounds": "D350F6A9", "audible": "25456794", "bubbleupnp": "3927FA74", "shakaplayer": "07AEE832", "supla": "A41B766D",
        "yleareena": "A9BCCB7C", "nrktv": "3AEDF8D1", "nrkradio": "A49874B1", "musicassistant": "C35B0678",
    ]
}
