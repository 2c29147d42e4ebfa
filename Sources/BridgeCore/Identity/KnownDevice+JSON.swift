import CastModels

extension KnownDevice {
    /// Reads a record; `nil` without a usable id and slug. Everything else is optional, and values that do not parse are left out.
    init?(json: JSONObject) {
        guard let id = json["id"]?.stringValue, (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }),
            let slug = json["slug"]?.stringValue, Slug.isValid(slug)
        else { return nil }
        self.init(id: id, slug: slug, name: json["name"]?.stringValue ?? slug, model: json["model"]?.stringValue ?? "")
        for element in json["endpoints"]?.arrayValue ?? [] {
            guard let host = element["host"]?.stringValue, !host.isEmpty, let port = element["port"]?.intValue,
                (1...65_535).contains(port)
            else { continue }
            self.endpoints.append(DeviceEndpoint(host: host, port: port))
        }
        self.capabilities = json["capabilities"]?.intValue.flatMap { UInt64(exactly: $0) }.map(DeviceCapabilities.init(rawValue:))
        self.identity = json["identity"]?.stringValue.flatMap(Device.Identity.init(rawValue:)) ?? .announced
        self.topics = TopicRecord.read(json["topics"])
        self.discoveryTopics = TopicRecord.read(json["discovery"])
        self.announcedEntities = json["entities"]?.arrayValue.map(OptionalEntities.init(json:))
        self.isSlugChosen = json["slug_chosen"]?.boolValue ?? false
        self.preferences = DevicePreferences(json: json["options"]?.objectValue ?? [:])
        self.keyFingerprint = json["key"]?.stringValue.flatMap { (1...128).contains($0.utf8.count) ? $0 : nil }
        let held = Self.sessionID(json["owned_session"])
        self.launched = (held ?? Self.sessionID(json["launched_session"])).map {
            Participation(sessionID: $0, isLaunched: true, isHeld: held != nil)
        }
        self.lastSeen = json["last_seen"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        self.isExcluded = json["excluded"]?.boolValue ?? false
        self.removal = json["removed"]?.stringValue.flatMap(Removal.init(rawValue:))
    }

    private static func sessionID(_ value: JSONValue?) -> String? {
        value?.stringValue.flatMap { (1...256).contains($0.utf8.count) ? $0 : nil }
    }

    /// One line of the state file, without its newline. Topics are grouped by their common prefix.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 640)
        writer.beginObject()
        writer.member("id", self.id)
        writer.member("slug", self.slug)
        writer.member("name", self.name)
        writer.member("model", self.model)
        writer.key("endpoints")
        writer.beginArray()
        for endpoint in self.endpoints {
            writer.value(.object(["host": .string(endpoint.host), "port": .integer(Int64(endpoint.port))]))
        }
        writer.endArray()
        writer.member("capabilities", self.capabilities.flatMap { Int(exactly: $0.rawValue) })
        writer.member("identity", self.identity.rawValue)
        TopicRecord.write(self.topics, as: "topics", below: self.slug, to: &writer)
        TopicRecord.write(self.discoveryTopics, as: "discovery", below: self.id, to: &writer)
        if let announcedEntities { writer.member("entities", announcedEntities.json) }
        if self.isSlugChosen { writer.member("slug_chosen", true) }
        if !self.preferences.isEmpty { writer.member("options", JSONValue.object(self.preferences.json)) }
        if let keyFingerprint { writer.member("key", keyFingerprint) }
        if let launched { writer.member(launched.isHeld ? "owned_session" : "launched_session", launched.sessionID) }
        if let lastSeen { writer.member("last_seen", lastSeen.text) }
        if self.isExcluded { writer.member("excluded", true) }
        if let removal { writer.member("removed", removal.rawValue) }
        writer.endObject()
        return writer.bytes
    }
}
