import CastModels

/// A command's payload, read as far as possible, so that even a refusal can return the sender's id.
struct CommandPayload {
    private enum Content {
        case text(Substring)
        case json(JSONValue)
        case unreadable(CommandRejection)
    }

    /// Members of a top-level object that belong to the command, not to its arguments.
    private static let envelopeKeys: Set<String> = ["id", "timeout", "expires_at"]

    private let content: Content
    private let wholeText: Substring?

    /// - Parameters:
    ///   - limit: the largest size, in bytes.
    ///   - queueLimit: the largest size of the JSON form of `queue_load`, in bytes; `nil` where it is not possible.
    init(_ bytes: [UInt8], limit: Int, queueLimit: Int? = nil) {
        var tooLarge: Content { .unreadable(CommandRejection(.tooLarge, "A command may have at most \(limit) bytes.")) }
        guard bytes.count <= max(limit, queueLimit ?? 0) else {
            self.wholeText = nil
            self.content = tooLarge
            return
        }
        if bytes.count > limit {
            self.wholeText = nil
            let value = try? JSONParser.parse(bytes)
            self.content = value?["cmd"]?.stringValue == "queue_load" ? value.map { .json($0) } ?? tooLarge : tooLarge
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            self.wholeText = nil
            self.content = .unreadable(CommandRejection(.badPayload, "The payload is not UTF-8 text."))
            return
        }
        let trimmed = text.trimmedSpace
        self.wholeText = trimmed
        switch trimmed.utf8.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            do throws(JSONError) {
                self.content = .json(try JSONParser.parse(String(trimmed)))
            } catch {
                self.content = .unreadable(CommandRejection(.badPayload, "The payload is not valid JSON (at byte \(error.offset))."))
            }
        default: self.content = .text(trimmed)
        }
    }

    /// Reads the sender's id, and the `cmd` of the JSON form, if they are valid.
    func identify(_ envelope: inout CommandEnvelope, isJSONForm: Bool) {
        guard case .json(.object(let object)) = self.content else { return }
        envelope.id = object["id"].flatMap(CommandID.init)
        if isJSONForm, let name = object["cmd"]?.stringValue, !name.isEmpty { envelope.name = name.shortened }
    }

    /// Returns the value of a `set/<name>`: text, except that the style is an object and ids of tracks may be an array.
    func value(of name: String, _ envelope: inout CommandEnvelope) throws(CommandRejection) -> CommandArguments {
        switch self.content {
        case .text(let text): return CommandArguments(text: text)
        case .json(.object) where name == "text_style": return try self.arguments(of: name, &envelope, allowsTimeout: true)
        case .json(.array(let ids)) where name == "active_tracks": return .json(.array(ids))
        case .unreadable(let rejection) where self.wholeText == nil || name == "text_style": throw rejection
        case .unreadable, .json:
            let what = name == "text_style" ? "a JSON object" : "a plain value; send JSON to the topic set"
            throw CommandRejection(.badPayload, "set/\(name) takes \(what).")
        }
    }

    /// Returns the required object without the envelope's members, which are stored in `envelope`.
    func object(of name: String, _ envelope: inout CommandEnvelope, allowsTimeout: Bool) throws(CommandRejection) -> JSONObject {
        guard case .json(.object(let object)) = try self.arguments(of: name, &envelope, allowsTimeout: allowsTimeout) else {
            throw CommandRejection(.badPayload, "\(name): the payload must be a JSON object.")
        }
        return object
    }

    /// Returns the arguments without the envelope's members, which are stored in `envelope`.
    func arguments(
        of name: String, _ envelope: inout CommandEnvelope, allowsTimeout: Bool
    ) throws(CommandRejection) -> CommandArguments {
        switch self.content {
        case .unreadable(let rejection): throw rejection
        case .text(let text): return CommandArguments(text: text)
        case .json(.string(let text)): return CommandArguments(text: text.trimmedSpace)
        case .json(.object(let object)):
            try self.readEnvelope(object, of: name, &envelope, allowsTimeout: allowsTimeout)
            let rest = object.members.filter { !Self.envelopeKeys.contains($0.key) || $0.key == "timeout" && !allowsTimeout }
            return .json(.object(JSONObject(members: rest)))
        case .json(let value): return .json(value)
        }
    }

    private func readEnvelope(
        _ object: JSONObject, of name: String, _ envelope: inout CommandEnvelope, allowsTimeout: Bool
    ) throws(CommandRejection) {
        var reader = ArgumentReader(object, of: name)
        if let id = reader.take("id"), CommandID(id) == nil {
            throw reader.wrong("id", "a text of 1 to \(CommandID.maximumBytes) bytes or a whole number")
        }
        if allowsTimeout, let seconds = try reader.number("timeout", in: CommandParser.timeoutSeconds) {
            envelope.timeout = .milliseconds(Int64((seconds * 1000).rounded()))
        }
        envelope.expiresAt = try reader.parsed("expires_at", "a time like 2026-11-21T14:05:00Z") { Timestamp(rfc3339: $0) }
    }
}
