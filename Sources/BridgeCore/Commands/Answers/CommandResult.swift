import CastModels

/// The reason for refusing a command before anything is done.
public struct CommandRejection: Error, Sendable, Hashable {
    public var code: AnswerCode
    /// The reason of the failure, for people.
    public var message: String
    /// The remedy; `nil` for that of the code.
    public var hint: String?

    public init(_ code: AnswerCode, _ message: String, hint: String? = nil) { (self.code, self.message, self.hint) = (code, message, hint) }
}

public struct CommandResult: Sendable, Hashable {
    public var code: AnswerCode
    /// Whether the answer's `status` is `error`.
    public var isError: Bool
    /// Whether the command can't concern the device now. In a command to all devices this is no failure.
    public var isInapplicable: Bool
    /// A text for people; `nil` on plain success.
    public var message: String?
    /// Facts about the command (`media_session`), or about the failure (`cast_reason`).
    public var data: JSONObject
    /// The remedy, in one sentence; empty for success.
    public var hint: String
    /// The number by which the log has details; only with `internal`.
    public var incident: String?

    public init(_ code: AnswerCode, message: String? = nil, data: JSONObject = [:], hint: String? = nil, incident: String? = nil) {
        self.code = code
        self.isError = code.isError
        self.isInapplicable = code == .deviceOffline || code == .noSession
        self.message = message
        self.data = data
        self.hint = hint ?? code.hint
        self.incident = incident
    }

    public init(_ rejection: CommandRejection) { self.init(rejection.code, message: rejection.message, hint: rejection.hint) }

    public static func done(_ data: JSONObject = [:]) -> Self { Self(.done, data: data) }

    /// The answer of a device whose volume can't be changed, such as a receiver that an amplifier follows.
    public static let fixedVolume: Self = {
        var result = Self(.notSupported, message: "The device's volume is fixed.")
        result.isInapplicable = true
        return result
    }()

    /// A fault of the bridge. The caller logs `incident`, too.
    public static func `internal`(incident: String) -> Self {
        Self(.internal, message: "The bridge made a mistake.", data: ["incident": .string(incident)], incident: incident)
    }

    public var repeated: Self {
        var copy = self
        copy.code = .duplicate
        copy.message = "The id was used before; the first answer was \(self.code.rawValue)."
        if self.isError { copy.hint = AnswerCode.duplicate.hint }
        return copy
    }
}
