import CastModels

/// The rules of one platform: its keys, the required ones, and the values that each may have.
struct PlatformRule {
    var required: Set<String>
    var optional: Set<String>
    var isEntity = true
    var deviceClasses: Set<String> = []
    /// Rules that no table of keys can express.
    var more: @Sendable (JSONObject) -> [String] = { _ in [] }

    private static let entityKeys: Set<String> = [
        "platform", "unique_id", "name", "default_entity_id", "icon", "entity_category", "enabled_by_default", "entity_picture",
        "json_attributes_topic", "json_attributes_template", "availability", "availability_mode", "qos", "message_expiry_interval",
    ]

    func problems(_ component: JSONObject) -> [String] {
        var problems: [String] = []
        let known = self.required.union(self.optional).union(self.isEntity ? Self.entityKeys : ["platform", "qos"])
        for key in component.keys where !known.contains(key) { problems.append("\(key) is unknown, and dropped") }
        for key in self.required where component[key] == nil { problems.append("\(key) is missing") }
        for member in component.members { problems += Self.problems(member.key, member.value, component, self.deviceClasses) }
        return problems + self.more(component)
    }

    private static func problems(_ key: String, _ value: JSONValue, _ component: JSONObject, _ deviceClasses: Set<String>) -> [String] {
        let platform = component["platform"]?.stringValue ?? ""
        let text = value.stringValue
        func unless(_ holds: Bool) -> [String] { holds ? [] : ["\(key) is \(JSONWriter.string(of: value))"] }
        switch key {
        case "platform", "availability", "availability_mode", "qos", "state_topic", "command_topic", "options", "event_types": return []
        case "name": return unless(value.isNull || text?.isEmpty == false)
        case "default_entity_id":
            let allowed = { (scalar: Unicode.Scalar) in
                scalar.isASCII && (scalar.properties.isLowercase || "0123456789_".unicodeScalars.contains(scalar))
            }
            guard let text, text.hasPrefix(platform + ".") else { return unless(false) }
            let id = text.unicodeScalars.dropFirst(platform.unicodeScalars.count + 1)
            return unless(!id.isEmpty && id.allSatisfy(allowed) && id.first != "_" && id.last != "_")
        case "icon": return unless(text?.contains(":") ?? false)
        case "entity_category":
            return unless(text == "diagnostic" || (text == "config" && platform != "sensor" && platform != "binary_sensor"))
        case "entity_picture": return unless(DiscoveryRules.webAddress(value))
        case "enabled_by_default": return unless(value.boolValue != nil)
        case "json_attributes_topic", "url_topic": return unless(text.map(Topic.maySubscribe) ?? false)
        case "topic": return unless(text.map(Topic.maySubscribe) ?? false)
        case "message_expiry_interval", "suggested_display_precision": return unless((value.intValue ?? -1) >= 0)
        case "device_class": return unless(text.map(deviceClasses.contains) ?? false)
        case _ where key.hasSuffix("_template"):
            return unless(text?.contains("{{") ?? false)
        case "min", "max", "step": return unless(value.doubleValue != nil)
        default: return unless(text?.isEmpty == false)
        }
    }

    private static func closedList(_ key: String, _ component: JSONObject) -> [String] {
        guard let values = component[key]?.arrayValue?.map(\.stringValue) else { return ["\(key) is no list"] }
        var problems: [String] = values.isEmpty ? ["\(key) is empty"] : []
        for value in values {
            guard let value, !value.isEmpty, value.unicodeScalars.count <= 255 else {
                problems.append("\(key) has something that can't be a state")
                continue
            }
            if value.lowercased() == "none" { problems.append("\(key) has \(value), which means unknown") }
            if value.first?.isWhitespace == true || value.last?.isWhitespace == true {
                problems.append("\(key) has blanks around \(value)")
            }
        }
        if Set(values).count != values.count { problems.append("\(key) has something twice") }
        return problems
    }

    static let numericSensors: Set<String> = ["duration", "data_rate", "data_size", "signal_strength", "temperature"]
    private static let units: [String: Set<String>] = ["duration": ["d", "h", "min", "s", "ms", "μs"]]

    static let all: [String: PlatformRule] = [
        "sensor": PlatformRule(
            required: ["state_topic"],
            optional: [
                "value_template", "device_class", "state_class", "options", "unit_of_measurement", "suggested_display_precision",
                "expire_after", "force_update", "last_reset_value_template",
            ],
            deviceClasses: numericSensors.union(["enum", "timestamp", "date", "uptime"])
        ) { component in
            let deviceClass = component["device_class"]?.stringValue, unit = component["unit_of_measurement"]?.stringValue
            var problems: [String] = []
            if component["options"] != nil {
                problems += Self.closedList("options", component)
                if deviceClass != "enum" { problems.append("options without enum") }
                if component["state_class"] != nil || unit != nil { problems.append("options with a unit or state class") }
            } else if deviceClass == "enum" {
                problems.append("enum without options")
            }
            if let stateClass = component["state_class"],
                !["measurement", "measurement_angle", "total", "total_increasing"].contains(stateClass.stringValue)
            {
                problems.append("state_class")
            }
            if let deviceClass, numericSensors.contains(deviceClass), !(Self.units[deviceClass]?.contains(unit ?? "") ?? true) {
                problems.append("unit \(unit ?? "none") of \(deviceClass)")
            }
            if component["last_reset_value_template"] != nil, component["state_class"] != "total" {
                problems.append("last_reset_value_template")
            }
            return problems
        },
        "binary_sensor": PlatformRule(
            required: ["state_topic"], optional: ["value_template", "device_class", "payload_on", "payload_off"],
            deviceClasses: ["connectivity", "plug", "power", "presence", "problem", "running", "sound"]),
        "number": PlatformRule(
            required: ["command_topic"],
            optional: ["state_topic", "value_template", "min", "max", "step", "mode", "unit_of_measurement", "device_class"],
            deviceClasses: numericSensors
        ) { component in
            var problems: [String] = []
            let minimum = component["min"]?.doubleValue ?? 1, maximum = component["max"]?.doubleValue ?? 100
            if maximum <= minimum { problems.append("max is not above min") }
            if (component["step"]?.doubleValue ?? 1) < 0.001 { problems.append("step") }
            if let mode = component["mode"], !["auto", "box", "slider"].contains(mode.stringValue) { problems.append("mode") }
            return problems
        },
        "select": PlatformRule(
            required: ["command_topic", "options"], optional: ["state_topic", "value_template", "command_template"]
        ) {
            Self.closedList("options", $0)
        },
        "switch": PlatformRule(
            required: ["command_topic"], optional: ["state_topic", "value_template", "device_class"], deviceClasses: ["outlet", "switch"]),
        "button": PlatformRule(
            required: ["command_topic"], optional: ["device_class", "payload_press"], deviceClasses: ["identify", "restart", "update"]),
        "text": PlatformRule(required: ["command_topic"], optional: ["state_topic", "value_template", "min", "max", "mode", "pattern"]) {
            component in
            let minimum = component["min"]?.intValue ?? 0, maximum = component["max"]?.intValue ?? 255
            var problems: [String] = minimum <= maximum && maximum <= 255 ? [] : ["max"]
            if let mode = component["mode"], !["text", "password"].contains(mode.stringValue) { problems.append("mode") }
            return problems
        },
        "image": PlatformRule(required: [], optional: ["url_topic", "image_topic", "url_template", "content_type", "image_encoding"]) {
            component in
            var problems: [String] =
                (component["url_topic"] == nil) == (component["image_topic"] == nil) ? ["url_topic or image_topic"] : []
            if component["url_topic"] != nil, component["content_type"] != nil { problems.append("content_type with url_topic") }
            return problems
        },
        "event": PlatformRule(
            required: ["state_topic", "event_types"], optional: ["device_class", "value_template"],
            deviceClasses: ["doorbell", "button", "motion"]
        ) { Self.closedList("event_types", $0) },
        "device_automation": PlatformRule(
            required: ["automation_type", "topic", "type", "subtype"], optional: ["payload", "value_template"], isEntity: false
        ) { $0["automation_type"] == "trigger" ? [] : ["automation_type"] },
    ]
}
