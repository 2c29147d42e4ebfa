import CastModels

/// Why a command is refused before anything is done.
package struct CommandRejection: Error, Sendable, Hashable {
    package var code: AnswerCode
    /// What is wrong, for people.
    package var message: String
    /// What to do about it, where that is not what the code says.
    package var hint: String?

    package init(_ code: AnswerCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

/// How a command ended.
package struct CommandResult: Sendable, Hashable {
    package var code: AnswerCode
    /// Whether the answer's `status` is `error`.
    package var isError: Bool
    /// For people; `nil` on plain success.
    package var message: String?
    /// Facts of the command (`media_session`), or of the failure (`cast_reason`).
    package var data: JSONObject
    /// What to do about it, one sentence; empty for success.
    package var hint: String
    /// The number under which the log tells more; only with `internal`.
    package var incident: String?

    package init(_ code: AnswerCode, message: String? = nil, data: JSONObject = [:], hint: String? = nil, incident: String? = nil) {
        self.code = code
        self.isError = code.isError
        self.message = message
        self.data = data
        self.hint = hint ?? code.hint
        self.incident = incident
    }

    package init(_ rejection: CommandRejection) { self.init(rejection.code, message: rejection.message, hint: rejection.hint) }

    /// Success with facts.
    package static func done(_ data: JSONObject = [:]) -> Self { Self(.done, data: data) }

    /// A fault of ours; `incident` must be in the log too.
    package static func `internal`(incident: String) -> Self {
        Self(.internal, message: "The bridge made a mistake.", data: ["incident": .string(incident)], incident: incident)
    }

    /// The same outcome for a repeated id.
    package var repeated: Self {
        var copy = self
        copy.code = .duplicate
        copy.message = "The id was used before; the first answer was \(self.code.rawValue)."
        if self.isError { copy.hint = AnswerCode.duplicate.hint }
        return copy
    }
}
