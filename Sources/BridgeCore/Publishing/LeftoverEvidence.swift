import CastModels

/// What the searches for leftovers agree on: whose a retained document is.
enum LeftoverEvidence {
    /// Whether a document proves that this instance published below the slug: an `info` with a schema, this slug and this instance.
    static func isOurs(document name: String, payload: [UInt8], slug: String, instance: String) -> Bool {
        guard name == "info", let info = try? JSONParser.parse(payload), info["schema"]?.intValue != nil else { return false }
        return info["slug"]?.stringValue == slug && info["instance"]?.stringValue == instance
    }
}
