import CastModels

/// An operation of the API as OpenAPI describes it, made of JSON texts.
struct OpenAPIOperation {
    let path: String
    /// The member of the path: the method with its description.
    let text: String

    /// - Parameters:
    ///   - parts: further members of the operation.
    ///   - answers: members of `responses`, as `answer` makes them.
    ///   - refusals: status codes of further answers, each of which is a key of `refusals`.
    init(
        _ path: String, method: String = "get", _ id: String, _ summary: String, description: String? = nil, parts: [String] = [],
        parameters: [String] = [], answers: [String], refusals: [Int]
    ) {
        let references = refusals.map { "\"\($0)\": " + Self.reference("responses", Self.refusals[$0]?.name ?? "") }
        let members =
            ["\"operationId\": \(Self.quoted(id))", "\"summary\": \(Self.quoted(summary))"]
            + (description.map { ["\"description\": \(Self.quoted($0))"] } ?? []) + parts
            + (parameters.isEmpty ? [] : ["\"parameters\": [\(parameters.joined(separator: ", "))]"])
            + ["\"responses\": {\((answers + references).joined(separator: ", "))}"]
        self.path = path
        self.text = "\"\(method)\": {\(members.joined(separator: ", "))}"
    }

    /// The refusals that several operations share, by status code.
    static let refusals: [Int: (name: String, description: String)] = [
        400: ("BadRequest", "bad_query or bad_payload."), 401: ("LoginRequired", "login_required or wrong_password."),
        403: ("Forbidden", "forbidden: the role is too low, or X-CSRF-Token or the origin is wrong."),
        404: ("NotFound", "unknown_device, not_found or no_artwork."), 413: ("TooLarge", "too_large."),
        415: ("UnsupportedMediaType", "unsupported_media_type: the body must be application/json."),
        421: ("Misdirected", "misdirected: the name of the host is not known."),
        429: ("RateLimited", "rate_limited; Retry-After says how long to wait."), 503: ("NotReady", "not_ready or hangs."),
    ]

    static let anyText = #"{"type": "string"}"#
    static let anyObject = #"{"type": "object"}"#

    static func quoted(_ text: String) -> String { JSONWriter.string(of: .string(text)) }

    static func reference(_ kind: String, _ name: String) -> String { "{\"$ref\": \"#/components/\(kind)/\(name)\"}" }

    static func schema(_ name: String) -> String { self.reference("schemas", name) }

    /// Returns the schema of an object with this member only.
    static func object(with member: String, _ schema: String) -> String {
        #"{"type": "object", "required": ["\#(member)"], "additionalProperties": false, "properties": {"\#(member)": \#(schema)}}"#
    }

    static func parameter(_ name: String, in place: String = "query", _ description: String, _ schema: String = Self.anyText) -> String {
        let required = place == "path" ? ", \"required\": true" : ""
        return
            "{\"name\": \"\(name)\", \"in\": \"\(place)\", \"description\": \(self.quoted(description)), \"schema\": \(schema)\(required)}"
    }

    /// Returns the description of an answer whose body has one of these media types, each with its schema.
    static func body(_ description: String, _ types: [String], _ schema: String) -> String {
        let content = types.map { "\"\($0)\": {\"schema\": \(schema)}" }.joined(separator: ", ")
        return "{\"description\": \(self.quoted(description)), \"content\": {\(content)}}"
    }

    static func answer(
        status: Int = 200, _ description: String, types: [String] = ["application/json"], _ schema: String = Self.anyObject
    ) -> String { "\"\(status)\": " + self.body(description, types, schema) }

    /// Returns an answer without a body.
    static func answer(status: Int, empty description: String) -> String {
        "\"\(status)\": {\"description\": \(self.quoted(description))}"
    }
}
