import CastModels

extension KnownDevice {
    /// `nil` without a usable id and slug; everything else is optional, and what doesn't parse is left out.
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
        for member in json["topics"]?.objectValue?.members ?? [] {
            for name in member.value.arrayValue?.compactMap(\.stringValue) ?? [] {
                self.topics.insert(member.key.isEmpty ? name : "\(member.key)/\(name)")
            }
        }
    }

    /// One line of the state file, without its end. Topics are grouped by what they have in common, which is nearly all of them.
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
        writer.key("topics")
        writer.beginObject()
        for (prefix, names) in self.groupedTopics { writer.member(prefix, names) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private var groupedTopics: [(prefix: String, names: [String])] {
        var groups: [String: [String]] = [:]
        for topic in self.topics.sorted() {
            if let range = topic.firstRange(of: "/\(self.slug)/") {
                groups["\(topic[..<range.lowerBound])/\(self.slug)", default: []].append(String(topic[range.upperBound...]))
            } else {
                groups["", default: []].append(topic)
            }
        }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
