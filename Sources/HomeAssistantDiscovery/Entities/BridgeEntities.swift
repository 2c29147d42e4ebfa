import BridgeCore
import CastModels

/// The entities of the bridge's own device, to which all Cast devices refer with `via_device`.
struct BridgeEntities {
    let tree: TopicTree
    let entity: EntityFactory

    init(tree: TopicTree, instance: String) {
        self.tree = tree
        self.entity = EntityFactory(
            identifier: DiscoveryNames.bridge(instance: instance),
            // Home Assistant makes the same from the device's name in versions without `default_entity_id`.
            entityPrefix: "cast2mqtt_" + String(instance.lowercased().map { $0 == "." || $0 == "-" ? "_" : $0 }))
    }

    var all: [Component] {
        let (info, health) = (self.tree.bridge("info"), self.tree.bridge("health"))
        return [
            // Without availability, because this entity itself shows whether the bridge is online.
            self.entity("connection", .binarySensor, "Connection").state(self.tree.bridge("state"))
                .with("payload_on", "online").with("payload_off", "offline").deviceClass("connectivity").diagnostic()
                .with("availability", .array([])),
            self.entity("version", .sensor, "Version").state(info, "{{ value_json.version }}").diagnostic().icon("tag"),
            self.entity("started_at", .sensor, "Started").state(info, "{{ value_json.started_at }}").deviceClass("timestamp").diagnostic(),
            self.entity("devices_online", .sensor, "Devices online").state(health, "{{ value_json.devices.online }}")
                .with("state_class", "measurement").diagnostic().icon("cast"),
            self.entity("messages_dropped", .sensor, "Messages dropped").state(health, "{{ value_json.mqtt.dropped }}")
                .with("state_class", "total_increasing").diagnostic().icon("message-alert").disabled(),
            self.entity("log_level", .select, "Log level").options(LogLevel.allCases.map(\.rawValue))
                .state(info, "{{ value_json.log_level }}").command(self.tree.bridge("request/log_level")).with("entity_category", "config")
                .icon("math-log"),
            self.entity("restart", .button, "Restart").command(self.tree.bridge("request/restart")).deviceClass("restart")
                .with("entity_category", "config"),
            self.entity("discover", .button, "Search again").command(self.tree.bridge("request/discover")).with("entity_category", "config")
                .icon("magnify"),
            self.entity("republish", .button, "Republish").command(self.tree.bridge("request/republish")).with("entity_category", "config")
                .icon("publish"),
        ]
    }
}
