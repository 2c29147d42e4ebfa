import CastModels

/// What Home Assistant's schemas demand of everything that is announced here: of every key that we send, its type, its bounds and its closed
/// list, and of every key that we might send by mistake, that it is not there. Stricter than Home Assistant where it drops silently.
///
/// Source: the MQTT integration of Home Assistant 2026.11, `components/mqtt/schemas.py`, `util.py`, `discovery.py` and one file a platform.
enum DiscoveryRules {
    /// The problems of a device announcement; a rejected device is `fatal`.
    static func problems(ofDevice document: JSONValue) -> [Problem] {
        guard let root = document.objectValue else { return [.fatal("not an object")] }
        var problems: [Problem] = []
        for key in root.keys where !self.rootKeys.contains(key) { problems.append(.fatal("unknown key \(key)")) }
        problems += self.device(root["device"]) + self.origin(root["origin"])
        problems += self.shared(root).map { .fatal($0.text) }
        guard let components = root["components"]?.objectValue else { return problems + [.fatal("components is missing")] }
        for member in components.members {
            problems += self.component(member.key, member.value)
            if components.keys.count(where: { $0 == member.key }) > 1 { problems.append(.fatal("\(member.key) twice")) }
        }
        let triggers = components.members.compactMap { $0.value["type"]?.stringValue.map { type in "\(type) \(String(describing: type))" } }
        if Set(triggers).count != triggers.count { problems.append(.dropped("two triggers of one type and subtype")) }
        return problems
    }

    /// The problems of the announcement of one entity.
    static func problems(ofEntity document: JSONValue, platform: String) -> [Problem] {
        guard var object = document.objectValue else { return [.fatal("not an object")] }
        var problems = self.device(object["device"], keys: self.olderDeviceKeys) + self.origin(object["origin"])
        object["device"] = nil
        object["origin"] = nil
        object["platform"] = .string(platform)
        problems += self.component(platform, .object(object))
        return problems
    }

    struct Problem: Hashable, CustomStringConvertible {
        var text: String
        /// Whether the whole device is refused, not only an entity or a key.
        var isFatal: Bool

        static func fatal(_ text: String) -> Self { Self(text: text, isFatal: true) }
        static func dropped(_ text: String) -> Self { Self(text: text, isFatal: false) }
        var description: String { (self.isFatal ? "device refused: " : "dropped: ") + self.text }
    }

    // MARK: Parts

    private static let rootKeys: Set<String> = [
        "device", "origin", "components", "availability", "availability_mode", "availability_template", "availability_topic",
        "payload_available", "payload_not_available", "state_topic", "command_topic", "qos", "encoding",
    ]
    private static let deviceKeys: Set<String> = olderDeviceKeys.union(["model_id", "serial_number"])
    /// Of Home Assistant 2024.3.
    private static let olderDeviceKeys: Set<String> = [
        "identifiers", "connections", "manufacturer", "model", "name", "hw_version", "sw_version", "via_device", "suggested_area",
        "configuration_url",
    ]

    private static func device(_ value: JSONValue?, keys: Set<String> = deviceKeys) -> [Problem] {
        guard let device = value?.objectValue else { return [.fatal("device is missing")] }
        var problems: [Problem] = []
        for member in device.members {
            if !keys.contains(member.key) { problems.append(.fatal("device.\(member.key) is unknown")) }
            switch member.key {
            case "identifiers":
                if !(member.value.arrayValue?.allSatisfy { $0.stringValue?.isEmpty == false } ?? false) {
                    problems.append(.fatal("device.identifiers"))
                }
            case "connections":
                let pairs = member.value.arrayValue ?? [.null]
                if !pairs.allSatisfy({ $0.arrayValue?.count == 2 && $0.arrayValue?.allSatisfy { $0.stringValue != nil } == true }) {
                    problems.append(.fatal("device.connections"))
                }
            case "configuration_url": problems += self.webAddress(member.value) ? [] : [.fatal("device.configuration_url")]
            default:
                guard let text = member.value.stringValue, !text.isEmpty, text.unicodeScalars.count <= 255 else {
                    problems.append(.fatal("device.\(member.key) is no text"))
                    continue
                }
            }
        }
        let identifiers = device["identifiers"]?.arrayValue ?? [], connections = device["connections"]?.arrayValue ?? []
        if identifiers.isEmpty, connections.isEmpty { problems.append(.fatal("device without identifier")) }
        if device["name"] == nil { problems.append(.dropped("device.name is missing")) }
        if let via = device["via_device"], identifiers.contains(via) { problems.append(.fatal("device.via_device is the device")) }
        return problems
    }

    private static func origin(_ value: JSONValue?) -> [Problem] {
        guard let origin = value?.objectValue else { return [.fatal("origin is missing")] }
        var problems: [Problem] = origin["name"]?.stringValue == nil ? [.fatal("origin.name")] : []
        for member in origin.members {
            switch member.key {
            case "name", "sw_version": if member.value.stringValue == nil { problems.append(.fatal("origin.\(member.key)")) }
            // The second is the short form of the first.
            case "support_url", "url": if !self.webAddress(member.value) { problems.append(.fatal("origin.\(member.key)")) }
            default: problems.append(.fatal("origin.\(member.key) is unknown"))
            }
        }
        return problems
    }

    private static func shared(_ object: JSONObject) -> [Problem] {
        var problems: [Problem] = []
        if let list = object["availability"] {
            let topics = list.arrayValue ?? [.null]
            for entry in topics {
                guard let entry = entry.objectValue, let topic = entry["topic"]?.stringValue, Topic.maySubscribe(topic) else {
                    problems.append(.dropped("availability"))
                    continue
                }
            }
            if object["availability_topic"] != nil { problems.append(.dropped("availability twice")) }
        }
        if let mode = object["availability_mode"], !["all", "any", "latest"].contains(mode.stringValue) {
            problems.append(.dropped("availability_mode"))
        }
        if let qos = object["qos"], ![0, 1, 2].contains(qos.intValue) { problems.append(.dropped("qos")) }
        if let topic = object["state_topic"], !(topic.stringValue.map(Topic.maySubscribe) ?? false) {
            problems.append(.dropped("state_topic"))
        }
        if let topic = object["command_topic"], !(topic.stringValue.map(Topic.mayPublish) ?? false) {
            problems.append(.dropped("command_topic"))
        }
        return problems
    }

    static func webAddress(_ value: JSONValue) -> Bool {
        guard let text = value.stringValue else { return false }
        for scheme in ["http://", "https://", "homeassistant://"] where text.hasPrefix(scheme) { return text.count > scheme.count }
        return false
    }

    // MARK: Components

    private static func component(_ key: String, _ value: JSONValue) -> [Problem] {
        guard var component = value.objectValue, let platform = component["platform"]?.stringValue else {
            return [.fatal("\(key) without platform")]
        }
        // Until 2026.4; later ones drop it silently.
        let objectID = component["object_id"]
        component["object_id"] = nil
        guard let rule = PlatformRule.all[platform] else { return [.fatal("\(key): platform \(platform) does not exist")] }
        if !key.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }) {
            return [.dropped("\(key): a space would cut the id in two")]
        }
        if component.members.count == 1 { return [] }
        var problems: [Problem] = []
        if rule.isEntity, component["unique_id"]?.stringValue?.isEmpty ?? true { problems.append(.fatal("\(key) without unique_id")) }
        if let objectID, objectID.stringValue?.isEmpty ?? true { problems.append(.dropped("\(key): object_id")) }
        problems += self.shared(component)
        problems += rule.problems(component).map { .dropped("\(key): \($0)") }
        return problems
    }
}

/// The bounds of MQTT and of Home Assistant for topics.
enum Topic {
    static func maySubscribe(_ topic: String) -> Bool {
        guard self.isValid(topic) else { return false }
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() {
            if level.contains("#"), level != "#" || index != levels.count - 1 { return false }
            if level.contains("+"), level != "+" { return false }
        }
        return true
    }

    static func mayPublish(_ topic: String) -> Bool { self.isValid(topic) && !topic.contains("+") && !topic.contains("#") }

    private static func isValid(_ topic: String) -> Bool {
        guard (1...65_535).contains(topic.utf8.count) else { return false }
        return !topic.unicodeScalars.contains {
            $0.value <= 0x1F || (0x7F...0x9F).contains($0.value) || (0xFDD0...0xFDEF).contains($0.value) || $0.value & 0xFFFE == 0xFFFE
        }
    }
}
