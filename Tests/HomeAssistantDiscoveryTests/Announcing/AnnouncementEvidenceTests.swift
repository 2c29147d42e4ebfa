import CastModels
import HomeAssistantDiscovery
import Testing

@Suite("Announcements that the broker retains")
struct AnnouncementEvidenceTests {
    private let evidence = AnnouncementEvidence(prefix: "ha/x", instance: "home.1")

    private func payload(origin: String = "cast2mqtt", via: String? = nil) -> [UInt8] {
        var device: JSONObject = ["name": "TV"]
        if let via { device.append("via_device", .string(via)) }
        return JSONWriter.bytes(of: ["origin": ["name": .string(origin)], "device": .object(device)])
    }

    @Test("asks for one filter") func filter() { #expect(self.evidence.topicFilter == "ha/x/device/+/config") }

    @Test("are ours only with our name as origin and our bridge as bridge")
    func isOurs() {
        let (bridge, other) = ("cast2mqtt_bridge_home_1", "cast2mqtt_bridge_garden")
        let cases: [(topic: String, payload: [UInt8], isOurs: Bool?)] = [
            ("ha/x/device/\(bridge)/config", self.payload(), true),
            ("ha/x/device/cast2mqtt_1/config", self.payload(via: bridge), true),
            ("ha/x/device/cast2mqtt_1/config", self.payload(via: other), false),
            ("ha/x/device/\(other)/config", self.payload(), false),
            ("ha/x/device/cast2mqtt_1/config", self.payload(origin: "zigbee2mqtt", via: bridge), false),
            ("ha/x/device/cast2mqtt_1/config", [], false), ("ha/x/device/cast2mqtt_1/config", Array("{".utf8), false),
            ("ha/x/device/cast2mqtt_1/state", self.payload(via: bridge), nil),
            ("ha/x/sensor/cast2mqtt_1/config", self.payload(via: bridge), nil),
            ("ha/x/device/a/b/config", self.payload(via: bridge), nil), ("elsewhere/device/a/config", self.payload(via: bridge), nil),
            ("ha/x", [], nil), ("", [], nil),
        ]
        for (topic, payload, isOurs) in cases {
            #expect(self.evidence.isOurs(topic: topic, payload: payload) == isOurs, "\(topic)")
        }
    }
}
