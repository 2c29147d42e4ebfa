import BridgeCore
import CastModels
import Testing

@testable import HomeAssistantDiscovery

/// The messages of each step.
@Suite struct StepTests {
    private let device = Fixture.livingRoom
    private var whole: String { "homeassistant/device/cast2mqtt_\(Fixture.id)/config" }
    private func topics(_ mode: HomeAssistantOptions.Mode) -> Set<String> {
        Set(Fixture.mapper(mode).messages(for: self.device).map(\.topic))
    }

    @Test("the topics of the other form are migrated", arguments: [HomeAssistantOptions.Mode.device, .components])
    func migratable(mode: HomeAssistantOptions.Mode) {
        let other: HomeAssistantOptions.Mode = mode == .device ? .components : .device
        let owner = DocumentOwner.discovery(Fixture.id)
        #expect(Set(Fixture.mapper(mode).migratable(self.topics(other), of: owner)) == self.topics(other))
        #expect(Fixture.mapper(mode).migratable(self.topics(mode), of: owner).isEmpty)
        #expect(Fixture.mapper(.off).migratable(self.topics(other), of: owner).isEmpty)
        let elsewhere = Fixture.mapper(mode) { $0.prefix = "other" }
        #expect(elsewhere.migratable(self.topics(other), of: owner).isEmpty, "what Home Assistant does not read any more is cleared")
    }

    @Test("an announcement for the custom integration is not migrated")
    func customIntegration() {
        let topic = "homeassistant/media_player/cast2mqtt_\(Fixture.id)/config"
        #expect(Fixture.mapper(.device).migratable([topic], of: .discovery(Fixture.id)).isEmpty)
    }

    @Test("first the old topics announce the migration, then they are cleared, then the announcement comes")
    func migrationOrder() {
        let mapper = Fixture.mapper(.device)
        let old = self.topics(.components).sorted()
        let migrating = mapper.messages(of: self.device, in: .migrating(from: old))
        #expect(migrating.messages.map(\.topic) == old && !migrating.isComplete)
        #expect(
            migrating.messages.allSatisfy { String(decoding: $0.payload, as: UTF8.self) == #"{"migrate_discovery":true}"# && $0.retain })
        let clearing = mapper.messages(of: self.device, in: .clearing)
        #expect(clearing.messages.isEmpty && clearing.isComplete)
        let settled = mapper.messages(of: self.device, in: .settled)
        #expect(settled.messages.map(\.topic) == [self.whole] && settled.isComplete)
    }

    @Test("what a media player has, too, is removed for it and comes back, and nothing of what remains changes")
    func companion() throws {
        func components(_ mode: HomeAssistantOptions.Mode, _ step: Announcer.Step = .settled) throws -> JSONObject {
            let message = Fixture.mapper(mode).messages(of: self.device, in: step).messages[0]
            #expect(message.topic == self.whole)
            return try #require(JSONParser.parse(message.payload)["components"]?.objectValue)
        }
        let (whole, few) = (try components(.device), try components(.companion))
        func identity(_ value: JSONValue?) -> JSONValue? {
            var object = value?.objectValue
            object?["enabled_by_default"] = nil
            return object.map { .object($0) }
        }
        for member in few.members { #expect(identity(whole[member.key]) == identity(member.value), "\(member.key)") }
        let triggers = whole.members.map(\.key).filter { $0.hasPrefix("trigger_") }
        #expect(
            Set(few.members.map(\.key))
                == Set(triggers).union([
                    "connection", "last_error", "event", "ad", "skip_ad", "active_input", "text_track", "ends_at", "sleep", "sleep_at",
                ]))
        let mapper = Fixture.mapper(.companion)
        let lost = mapper.removedEntities(from: self.device, announcedWith: Fixture.mapper().optionalEntities(of: self.device))
        #expect(Set(lost.map(\.key)) == Set(whole.members.map(\.key)).subtracting(few.members.map(\.key)))
        #expect(try components(.companion, .removing(Array(lost)))["volume"] == ["platform": "number"] as JSONValue)
        #expect(Fixture.mapper().removedEntities(from: self.device, announcedWith: mapper.optionalEntities(of: self.device)).isEmpty)
    }

    @Test("an entity that a device lost is named again, with its platform alone")
    func lostEntity() throws {
        let mapper = Fixture.mapper(.device)
        var audio = self.device
        audio.kind = .audio
        let lost = mapper.removedEntities(from: audio, announcedWith: mapper.optionalEntities(of: self.device))
        #expect(Set(lost.map(\.key)) == Set(DiscoveryDocumentTests.screenKeys))
        let message = mapper.messages(of: audio, in: .removing(Array(lost))).messages[0]
        let components = try JSONParser.parse(message.payload)["components"]
        #expect(components?["skip_ad"] == ["platform": "button"] as JSONValue)
        #expect(components?["text_track"] == ["platform": "select"] as JSONValue)
        #expect(DiscoveryRules.problems(ofDevice: try JSONParser.parse(message.payload)).isEmpty)
        let after = try JSONParser.parse(mapper.messages(of: audio, in: .settled).messages[0].payload)
        #expect(after["components"]?["skip_ad"] == nil)
    }

    @Test("what a device lost by the configuration is removed as well, and only where no topic contains it")
    func lostByConfiguration() {
        let basic = Fixture.mapper(.device).optionalEntities(of: self.device)
        #expect(basic == [.plainValues, .screen, .volume, .artwork, .controls])
        func removed(
            _ mode: HomeAssistantOptions.Mode, hasPlainValues: Bool, hasArtworkImages: Bool = false,
            announcedWith optional: OptionalEntities
        ) -> Set<String> {
            let mapper = Fixture.mapper(mode, hasPlainValues: hasPlainValues, hasArtworkImages: hasArtworkImages)
            return Set(mapper.removedEntities(from: self.device, announcedWith: optional).map(\.key))
        }
        #expect(removed(.device, hasPlainValues: false, announcedWith: basic) == ["artwork", "position", "seek", "seek_position"])
        #expect(removed(.device, hasPlainValues: true, announcedWith: basic) == [])
        #expect(removed(.device, hasPlainValues: true, announcedWith: []) == [], "what is added is not removed")
        #expect(
            removed(.device, hasPlainValues: false, announcedWith: .all) == ["artwork", "position", "seek", "seek_position", "members"])
        #expect(removed(.components, hasPlainValues: false, announcedWith: .all) == [])
        #expect(
            removed(.device, hasPlainValues: false, hasArtworkImages: true, announcedWith: basic) == ["position", "seek", "seek_position"])
        let pictured = Fixture.mapper(.device, hasPlainValues: false, hasArtworkImages: true).optionalEntities(of: self.device)
        #expect(pictured == [.screen, .volume, .artwork, .controls])
        #expect(removed(.device, hasPlainValues: false, announcedWith: pictured) == ["artwork"])
    }

    @Test("a volume that turned out to be fixed is removed, and with it mute")
    func fixedVolume() {
        let fixed = AnnouncedDevice(id: "a1", slug: "tv", name: "TV", kind: .cast, hasVolume: false)
        let mapper = Fixture.mapper(.device)
        #expect(Set(mapper.removedEntities(from: fixed, announcedWith: .all).map(\.key)) == ["volume", "mute", "members"])
        #expect(mapper.removedEntities(from: fixed, announcedWith: mapper.optionalEntities(of: fixed)).isEmpty)
    }

    @Test("the bridge has steps as well")
    func bridge() {
        let step = Fixture.mapper(.device).messages(of: nil, in: .settled)
        #expect(step.messages.map(\.topic) == ["homeassistant/device/cast2mqtt_bridge_home/config"])
    }
}
