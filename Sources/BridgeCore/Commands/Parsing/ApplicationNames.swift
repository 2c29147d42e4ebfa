import CastModels

/// Receiver applications by id or by a name people use for them.
struct ApplicationNames: Sendable, Hashable {
    private var configured: [String: String] = [:]
    /// What the device that is told was seen to run.
    var recent = RecentApplications()

    /// - Parameter named: names of the user's own; they win over the well-known ones, the first over a later one.
    init(_ named: [NamedApplication] = []) {
        for application in named {
            let key = Self.folded(application.name)
            if self.configured[key] == nil { self.configured[key] = application.id }
        }
    }

    /// The id for `text`: a known name in any spelling (`YouTube`, `default media receiver`), an application id, or what an application of
    /// the device calls itself; `nil` otherwise. So an application can't take the name of a known one or the id of another.
    func id(for text: String) -> String? {
        let name = Self.folded(text)
        return (name.isEmpty ? nil : self.configured[name] ?? Self.wellKnown[name]) ?? Self.applicationID(text) ?? self.recent.id(for: text)
    }

    /// `text` as an application id, in its usual spelling; `nil` when it has the form of none.
    static func applicationID(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let isHexadecimal = { (byte: UInt8) in Character(Unicode.Scalar(byte)).isHexDigit }
        if bytes.count == 8, bytes.allSatisfy(isHexadecimal) { return text.uppercased() }
        // Ids given out per developer are a UUID with a number behind it.
        let halves = text.split(separator: "_", omittingEmptySubsequences: false)
        let groups = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard groups == [8, 4, 4, 4, 12], halves[0].utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: "-") }), halves.count <= 2
        else { return nil }
        if halves.count == 2 {
            guard (1...4).contains(halves[1].utf8.count), halves[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        }
        return text
    }

    /// Letters and digits of any script: names differ in spelling, not in those.
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
