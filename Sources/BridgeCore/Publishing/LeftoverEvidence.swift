import CastModels

/// What the searches for leftovers agree on: whose a retained document is, and in which order a device's documents go.
enum LeftoverEvidence {
    /// Goes last, so that whoever looks meanwhile sees an offline device, not an unknown one.
    static let last = "availability"

    /// Whether a document proves that this instance published below the slug: an `info` with a schema, this slug and this instance.
    static func isOurs(document name: String, payload: [UInt8], slug: String, instance: String) -> Bool {
        guard name == "info", let info = try? JSONParser.parse(payload), info["schema"]?.intValue != nil else { return false }
        return info["slug"]?.stringValue == slug && info["instance"]?.stringValue == instance
    }

    static func clearingOrder(_ names: Set<String>) -> [String] {
        names.subtracting([self.last]).sorted() + (names.contains(self.last) ? [self.last] : [])
    }
}
