import CastModels
import Testing

@testable import BridgeCore

@Suite("Requests to the bridge")
struct BridgeVerbTests {
    private static let seventeenAliases = #"{"device":"tv","aliases":["# + (1...17).map { "\"a\($0)\"" }.joined(separator: ",") + "]}"

    @Test(
        "are read",
        arguments: [
            ("restart", "", .restart),
            ("device/add", "192.168.1.31", .addDevice(DeviceEndpoint(host: "192.168.1.31"))),
            ("device/add", "tv.lan:32100", .addDevice(DeviceEndpoint(host: "tv.lan", port: 32_100))),
            ("device/add", #"{"ip":"192.168.1.31","port":8010,"id":"n1"}"#, .addDevice(DeviceEndpoint(host: "192.168.1.31", port: 8010))),
            ("device/add", #"{"ip":"fe80::1%eth0"}"#, .addDevice(DeviceEndpoint(host: "fe80::1%eth0"))),
            ("device/rename", #"{"device":"tv","slug":"kitchen-tv","id":7}"#, .renameDevice("tv", slug: "kitchen-tv")),
            ("device/rename", #"{"id":"4F1C-9A0E","slug":"tv"}"#, .renameDevice("4F1C-9A0E", slug: "tv")),
            ("device/rename", #"{"device":"tv"}"#, .renameDevice("tv", slug: nil)),
            ("device/rename", #"{"device":"tv","slug":null}"#, .renameDevice("tv", slug: nil)),
            (
                "device/options", #"{"device":"tv","aliases":["lounge"],"area":null,"inactive_input_is_off":false}"#,
                .deviceOptions("tv", DevicePreferenceChanges(aliases: .set(["lounge"]), area: .reset, inactiveInputIsOff: .set(false)))
            ),
            ("device/options", #"{"id":"tv"}"#, .deviceOptions("tv", DevicePreferenceChanges())),
            ("device/remove", "tv", .removeDevice("tv", .keepingSlug)),
            ("device/remove", #"{"id":"4f1c","forget":true}"#, .removeDevice("4f1c", .forgetting)),
            ("device/remove", #"{"device":"tv","id":"n2","forget":false}"#, .removeDevice("tv", .keepingSlug)),
            ("media/browse", "", .browseMedia(.folder(nil), offset: 0)), ("media/browse", "{}", .browseMedia(.folder(nil), offset: 0)),
            ("media/browse", #"{"list":"recents","offset":20}"#, .browseMedia(.recents, offset: 20)),
            ("preset/set", #"{"name":"Radio One","url":"http://h/one.mp3"}"#, .preset("Radio One", ["url": "http://h/one.mp3"])),
            ("home_assistant/mode", "Companion", .homeAssistantMode(.companion)),
            ("home_assistant/mode", #"{"mode":"device","id":"a"}"#, .homeAssistantMode(.device)),
            ("preset/remove", "Radio One", .preset("Radio One", nil)),
            ("preset/remove", #"{"name":"Radio One"}"#, .preset("Radio One", nil)),
            ("media/browse", #"{"path":"films/series","offset":200}"#, .browseMedia(.folder(MediaPath("films/series")), offset: 200)),
            ("media/search", #"{"query":"night ferry"}"#, .searchMedia("night ferry", offset: 0)),
            ("topics/clean", "", .cleanTopics(apply: false)), ("topics/clean", "{}", .cleanTopics(apply: false)),
            ("topics/clean", #"{"apply":true}"#, .cleanTopics(apply: true)),
            ("log_level", #"{"publish":"off"}"#, .logLevel(.init(publish: .off))),
            ("log_level", #"{"publish":"Info","level":"debug"}"#, .logLevel(.init(level: .debug, publish: PublishedLogLevel(.info)))),
        ] as [(String, String, BridgeCommand)])
    func accepted(verb: String, payload: String, command: BridgeCommand) {
        #expect(parse("cast2mqtt/bridge/request/\(verb)", payload).bridge == command)
    }

    @Test(
        "are refused when they are wrong",
        arguments: [
            ("restart", "now"), ("device/add", ""), ("device/add", "http://192.168.1.31/"), ("device/add", #"{"port":8009}"#),
            ("device/add", #"{"ip":""}"#), ("device/add", #"{"ip":"a b"}"#), ("device/add", #"{"ip":"h","port":0}"#),
            ("device/add", #"{"ip":"h","name":"x"}"#), ("device/add", "[1]"),
            ("device/rename", ""), ("device/rename", "tv"), ("device/rename", #"{"slug":"tv"}"#),
            ("device/rename", #"{"id":7,"slug":"tv"}"#),
            ("device/rename", #"{"device":"tv","slug":"Kitchen"}"#), ("device/rename", #"{"device":"tv","slug":"a/b"}"#),
            ("device/rename", #"{"device":"tv","slug":"bridge"}"#), ("device/rename", #"{"device":"tv","slug":"all"}"#),
            ("device/rename", #"{"device":"tv","slug":""}"#), ("device/rename", #"{"device":"tv","slug":"x","force":true}"#),
            ("device/options", #"{"device":"tv","aliases":"lounge"}"#), ("device/options", #"{"device":"tv","aliases":["a b"]}"#),
            ("device/options", #"{"device":"tv","aliases":["bridge"]}"#), ("device/options", #"{"device":"tv","aliases":["a","a"]}"#),
            ("device/options", BridgeVerbTests.seventeenAliases),
            ("device/options", #"{"device":"tv","aliases":[5]}"#), ("device/options", #"{"device":"tv","area":5}"#),
            ("device/options", #"{"device":"tv","inactive_input_is_off":"perhaps"}"#),
            ("device/options", #"{"device":"tv","colour":"red"}"#), ("device/options", #"{"device":"tv","max_volume":101}"#),
            ("device/remove", ""), ("device/remove", "{}"), ("device/remove", #"{"id":5}"#),
            ("device/remove", #"{"id":"tv","forget":"x"}"#),
            ("media/browse", #"{"path":"../etc"}"#), ("media/browse", #"{"path":"films/"}"#), ("media/browse", #"{"path":7}"#),
            ("media/browse", #"{"offset":-1}"#), ("media/browse", #"{"offset":1.5}"#), ("media/browse", #"{"folder":"films"}"#),
            ("media/browse", #"{"list":"films"}"#), ("media/browse", #"{"list":"presets","path":"films"}"#),
            ("preset/set", ""), ("preset/set", "Radio One"), ("preset/set", #"{"url":"http://h/one.mp3"}"#),
            ("preset/set", #"{"name":""}"#),
            ("preset/set", #"{"name":"a","volume":"+5"}"#), ("preset/remove", ""), ("preset/remove", #"{"name":"a","all":true}"#),
            ("media/search", ""), ("media/search", "{}"), ("media/search", #"{"query":" "}"#), ("media/search", #"{"query":""}"#),
            ("topics/clean", "yes"), ("topics/clean", #"{"apply":"yes"}"#), ("topics/clean", #"{"dry":true}"#), ("topics/clean", "[]"),
            ("log_level", #"{"publish":"loud"}"#),
            ("home_assistant/mode", ""), ("home_assistant/mode", "components"), ("home_assistant/mode", #"{"mode":"off"}"#),
            ("home_assistant/mode", #"{"mode":"device","source":"file"}"#), ("home_assistant/mode", "[]"),
        ])
    func refused(verb: String, payload: String) {
        #expect(parse("cast2mqtt/bridge/request/\(verb)", payload).code == .badPayload)
    }

    @Test("of unknown verbs are refused", arguments: ["device", "device/", "device/destroy", "topics", "topics/clean/all", "restart/now"])
    func unknown(verb: String) {
        #expect(parse("cast2mqtt/bridge/request/\(verb)", "").code == .unknownCommand)
    }
}

@Suite("The choices for a device")
struct DevicePreferencesTests {
    @Test("change one by one, and go back to the configuration's")
    func changes() {
        var chosen = DevicePreferences()
        DevicePreferenceChanges(aliases: .set(["a"]), area: .set("Hall")).apply(to: &chosen)
        var changes = DevicePreferenceChanges(area: .reset, inactiveInputIsOff: .set(false))
        for (payload, change) in [("60", DevicePreferenceChanges.Change.set(60)), ("null", .reset), ("0", .set(0))] {
            changes.maximumVolume = change
            let command = parse("cast2mqtt/bridge/request/device/options", #"{"device":"tv","max_volume":\#(payload)}"#).bridge
            guard case .deviceOptions("tv", let read) = command else {
                Issue.record("\(payload)")
                continue
            }
            #expect(read.maximumVolume == change)
        }
        changes.apply(to: &chosen)
        #expect(chosen == DevicePreferences(aliases: ["a"], inactiveInputIsOff: false, maximumVolume: 0))
        chosen.maximumVolume = nil
        let configured = DevicePreferences(aliases: ["b"], area: "Kitchen", inactiveInputIsOff: true, maximumVolume: 30)
        let effective = DevicePreferences(aliases: ["a"], area: "Kitchen", inactiveInputIsOff: false, maximumVolume: 30)
        #expect(chosen.over(configured) == effective)
        #expect(DevicePreferences(json: chosen.json) == chosen)
        #expect(DevicePreferences(json: ["aliases": .array([.string("no good")]), "area": .integer(5)]) == DevicePreferences(aliases: []))
    }

    @Test("find their device by id, slug or name", arguments: ["4F1C-9A0E", "4f1c9a0e", "living-room", "Living Room", "LIVING ROOM"])
    func matching(device: String) {
        let entry = ConfiguredDevice(device: device, preferences: DevicePreferences())
        #expect(entry.matches(id: "4f1c9a0e", slug: "living-room", name: "Living Room"))
        #expect(!entry.matches(id: "0000", slug: "kitchen", name: "Kitchen"))
    }
}
