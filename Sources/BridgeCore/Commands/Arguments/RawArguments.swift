import CastModels

/// Reads the three raw commands. They exist in the JSON form only, and only if the user allows them.
enum RawArguments {
    /// Returns `nil` when `name` is none of the three.
    static func parse(_ name: String, _ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> RawMessage? {
        guard ["media_request", "receiver_request", "raw"].contains(name) else { return nil }
        guard rules.options.isRawAllowed else {
            throw CommandRejection(
                .forbidden, "\(name) needs commands.allow_raw in the configuration.",
                hint: "Set commands.allow_raw to true, if you mean it.")
        }
        guard case .json(.object(let object)) = arguments else { throw CommandRejection(.badPayload, "\(name): args must be an object.") }
        guard name == "raw" else {
            guard object["type"]?.stringValue?.isEmpty == false else {
                throw CommandRejection(.badPayload, "\(name): type must be the type of a message, like GET_STATUS.")
            }
            return name == "media_request" ? .media(object) : .receiver(object)
        }
        return try self.raw(object, rules)
    }

    /// `{"namespace":…,"payload":…}`, with `to` `device` for the platform.
    private static func raw(_ object: JSONObject, _ rules: CommandRules) throws(CommandRejection) -> RawMessage {
        var reader = ArgumentReader(object, of: "raw")
        guard let namespace = try reader.text("namespace", maximumBytes: 1000) else { throw reader.wrong("namespace", "given") }
        try rules.check(namespace)
        let target = try reader.parsed("to", "application or device", maximumBytes: 64) { RawMessage.Target(rawValue: $0) }
        let text: String
        switch reader.take("payload") {
        case .string(let string): text = string
        case .some(.object(let object)): text = JSONWriter.string(of: .object(object))
        default: throw reader.wrong("payload", "a text or an object")
        }
        try reader.finish()
        return .channel(namespace: namespace, target: target ?? .application, .text(text))
    }
}

extension CommandRules {
    /// Refuses an invalid namespace, or one that the user does not allow.
    func check(_ namespace: String) throws(CommandRejection) {
        guard NamespacePolicy.isValid(namespace) else {
            throw CommandRejection(
                .badPayload, "namespace must begin with urn:x-cast: and have at most \(NamespacePolicy.maximumLength) characters.")
        }
        guard self.options.namespaces.allows(namespace) else {
            throw CommandRejection(
                .forbidden, "The namespace is not among commands.custom_namespaces.",
                hint: "List the namespace in commands.custom_namespaces, if you mean it.")
        }
    }
}
