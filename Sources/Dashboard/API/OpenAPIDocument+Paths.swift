extension OpenAPIDocument {
    private typealias Operation = OpenAPIOperation

    static let operations = Self.session + Self.documents + Self.commands + Self.bridge

    /// An operation that needs no role.
    private static let isOpen = #""security": [{}]"#
    /// The paths beside the API, not below it.
    static let besideAPI: Set = ["/metrics", "/health", "/ready"]
    private static let csrf = Operation.reference("parameters", "csrf")
    private static let device = Operation.parameter("device", in: "path", "Slug, id or alias of a device.")
    private static let since = Operation.parameter("since", "The last id that the caller has.")

    /// Signing in and out: `SessionRoutes`.
    private static let session = [
        Operation(
            "/session", "getSession", "Who the caller is", parts: [isOpen],
            answers: [Operation.answer("The caller.", Operation.schema("Session"))], refusals: [401, 421, 429]),
        Operation(
            "/session", method: "post", "signIn", "Sign a browser in",
            parts: [
                isOpen,
                #"""
                "requestBody": {"required": true, "content": {"application/json": {"schema":
                  {"type": "object", "required": ["password"], "properties": {"password": {"type": "string", "maxLength": 1024}}}}}}
                """#,
            ],
            answers: [Operation.answer("Signed in; sets a cookie.", Operation.schema("Session"))],
            refusals: [400, 401, 403, 413, 415, 421, 429]),
        Operation(
            "/session", method: "delete", "signOut", "End the session", parameters: [csrf],
            answers: [Operation.answer(status: 204, empty: "Signed out.")], refusals: [401, 403, 415, 421, 429]),
    ]

    /// Documents and what changes in them: `DocumentRoutes`, `EventRoute`.
    private static let documents = [
        Operation(
            "/state", "getState", "Every document",
            answers: [Operation.answer("Every retained document by its topic below the base.", Operation.schema("State"))],
            refusals: [401, 403, 421, 429, 503]),
        Operation(
            "/changes", "getChanges", "What changed since an id", parameters: [since],
            answers: [Operation.answer("The documents that changed, or all of them.", Operation.schema("Changes"))],
            refusals: [401, 403, 421, 429, 503]),
        Operation(
            "/events", "getEvents", "What changes, as server-sent events",
            description: "Events: snapshot (as /state), changes, event, log, missed, hb. At most 4 streams a session or token.",
            parameters: [
                since, Operation.parameter("log", "The lowest level of the lines of the log to send.", Operation.schema("LogLevel")),
                Operation.parameter("Last-Event-ID", in: "header", "As since; what browsers send when they connect again."),
            ],
            answers: [Operation.answer("The stream.", types: ["text/event-stream"], Operation.anyText)],
            refusals: [400, 401, 403, 421, 429, 503]),
        Operation(
            "/devices", "getDevices", "The list of devices",
            answers: [Operation.answer("The document bridge/devices.", #"{"type": "array", "items": {"type": "object"}}"#)],
            refusals: [401, 403, 404, 421, 429, 503]),
        Operation(
            "/devices/{device}", "getDevice", "Every document of a device", parameters: [device],
            answers: [Operation.answer("Its documents.", Operation.object(with: "documents", Operation.schema("Documents")))],
            refusals: [401, 403, 404, 421, 429, 503]),
        Operation(
            "/devices/{device}/history", "getLinkHistory", "What happened to a device's link",
            description: "The newest 32 events of the connection between bridge and device since the bridge started, oldest first. "
                + "Equal failures of one outage are one entry.",
            parameters: [device],
            answers: [
                Operation.answer(
                    "The events.",
                    Operation.object(with: "entries", #"{"type": "array", "maxItems": 32, "items": \#(Operation.schema("LinkEvent"))}"#))
            ], refusals: [401, 403, 404, 421, 429, 503]),
        Operation(
            "/devices/{device}/{document}", "getDocument", "One document of a device",
            parameters: [
                device,
                Operation.parameter(
                    "document", in: "path",
                    "The name of a document, such as state, media or queue. The state of a namespace has further levels."),
            ], answers: [Operation.answer("The document.", "{}")], refusals: [401, 403, 404, 421, 429, 503]),
    ]

    /// Commands and pictures: `CommandRoute`, `ArtworkRoute`.
    private static let commands = [
        Operation(
            "/commands/{topic}", method: "post", "sendCommand", "Send a command and wait for its answer",
            description:
                "The path is that of the command topic below the base, the body its payload. A JSON value that is not an object is "
                + "sent as it would be over MQTT: 33 for set/volume. cmd, set and ns of devices need the role control, get needs view, "
                + "bridge/request needs admin.",
            parts: [
                #"""
                "requestBody": {
                  "description": "The payload; empty where the command takes none.",
                  "content": {
                    "application/json": {
                      "schema": {},
                      "examples": {
                        "volume": {"summary": "set/volume", "value": 33},
                        "load": {"summary": "cmd/load", "value": {"url": "http://192.168.1.5/film.mp4"}},
                        "queueOrder": {"summary": "get/queue: the ids of the whole queue", "value": {"ids": true, "count": 0}},
                        "queuePage": {"summary": "get/queue: some of its items", "value": {"from": 5000, "count": 50}}
                      }
                    }
                  }
                }
                """#
            ],
            parameters: [
                Operation.parameter(
                    "topic", in: "path",
                    "Such as living-room/cmd/pause, living-room/set/volume, living-room/get/queue or bridge/request/discover."),
                csrf,
            ],
            answers: [Operation.answer("Done.", Operation.schema("Answer"))]
                + [
                    (400, "bad_payload or unknown_command."),
                    (403, "forbidden; also without the role, or without the header X-CSRF-Token."), (404, "unknown_device."),
                    (413, "too_large."), (422, "not_supported."), (429, "rate_limited."),
                    (502, "Every other failure; code has the reason."), (503, "device_offline."), (504, "timeout."),
                ].map { Operation.answer(status: $0.0, $0.1, Operation.schema("AnswerOrError")) }, refusals: [401, 415, 421]),
        Operation(
            "/artwork/{device}", "getArtwork", "The picture of what plays",
            parameters: [
                device,
                Operation.parameter(
                    "width", "Pixels of the place it is shown in; chooses among the pictures of the medium.",
                    #"{"type": "integer", "minimum": 1, "maximum": 4096}"#),
                Operation.parameter(
                    "item", "The id of a queue item whose picture it is.", #"{"type": "integer", "minimum": 0, "maximum": 2147483647}"#),
                Operation.parameter("v", "Anything that changes with the picture; then it may be kept for an hour."),
            ],
            answers: [
                Operation.answer(
                    "The picture.", types: ["jpeg", "png", "webp", "gif", "avif"].map { "image/\($0)" },
                    #"{"type": "string", "format": "binary"}"#),
                Operation.answer(status: 304, empty: "The caller has it: If-None-Match."),
            ], refusals: [400, 401, 403, 404, 421, 429]),
    ]

    /// The bridge itself: log, settings, this description, metrics and health.
    private static let bridge = [
        Operation(
            "/log", "getLog", "The last lines of the log",
            parameters: [
                Operation.parameter("level", "The lowest level; info without it.", Operation.schema("LogLevel")),
                Operation.parameter(
                    "filter", "A pattern on the label or the name of the type behind its last point: CastSender.*.",
                    #"{"type": "string", "maxLength": 200}"#),
            ],
            answers: [
                Operation.answer(
                    "At most 1 000 lines, oldest first.",
                    Operation.object(with: "lines", #"{"type": "array", "items": \#(Operation.schema("LogLine"))}"#))
            ], refusals: [400, 401, 403, 421, 429]),
        Operation(
            "/configuration", "getConfiguration", "The settings in force, without secrets", description: "Needs the role admin.",
            answers: [Operation.answer("The settings by section, as in the configuration file.")], refusals: [401, 403, 421, 429]),
        Operation(
            "/page", "getPage", "What the web page needs of the configuration", answers: [Operation.answer("The section web.page.")],
            refusals: [401, 403, 421, 429]),
        Operation(
            "/openapi.json", "getDescription", "This description", answers: [Operation.answer("OpenAPI 3.1.")],
            refusals: [401, 403, 421, 429]),
        Operation(
            "/metrics", "getMetrics", "Numbers for Prometheus",
            answers: [
                Operation.answer(
                    "Prometheus text format, or OpenMetrics if asked for.", types: ["text/plain", "application/openmetrics-text"],
                    Operation.anyText)
            ], refusals: [401, 421, 429, 503]),
        Operation(
            "/health", "getHealth", "Whether the bridge works", parts: [isOpen], answers: [Operation.answer("It does.")],
            refusals: [421, 429, 503]),
        Operation(
            "/ready", "getReady", "Whether the bridge works", parts: [isOpen],
            answers: [Operation.answer("It has a link to the broker and has published everything.")], refusals: [421, 429, 503]),
    ]
}
