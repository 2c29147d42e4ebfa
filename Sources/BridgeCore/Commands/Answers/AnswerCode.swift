/// The machine-readable outcome of a command. The codes are a published contract: new ones may be added, none changes its meaning.
public enum AnswerCode: String, Sendable, Hashable, CaseIterable {
    /// The device confirmed the command.
    case done
    /// The command runs; a final answer follows.
    case accepted
    /// A newer value replaced this one before it was sent, or while it was being sent.
    case superseded
    case badPayload = "bad_payload"
    case unknownCommand = "unknown_command"
    case tooLarge = "too_large"
    case unknownDevice = "unknown_device"
    /// The device is known but not connected; nothing was sent to it.
    case deviceOffline = "device_offline"
    case noSession = "no_session"
    case notSupported = "not_supported"
    /// The device answered, and its state did not become what was wanted.
    case notApplied = "not_applied"
    /// The application is listed and answers nothing at all, also after it was launched again.
    case notResponding = "not_responding"
    case loadFailed = "load_failed"
    /// The receiver answered with another error, or the link broke during the request.
    case castError = "cast_error"
    case timeout
    case retainedRejected = "retained_rejected"
    case expired
    case duplicate
    case rateLimited = "rate_limited"
    case forbidden
    /// A fault of the bridge; the answer contains an incident number that is also in the log.
    case `internal`

    /// Whether the answer's `status` is `error`. A `duplicate` has the status of the first answer instead.
    public var isError: Bool {
        switch self {
        case .done, .accepted, .superseded, .duplicate: false
        case .badPayload, .unknownCommand, .tooLarge, .unknownDevice, .deviceOffline, .noSession, .notSupported, .notApplied,
            .notResponding, .loadFailed, .castError, .timeout, .retainedRejected, .expired, .rateLimited, .forbidden, .internal:
            true
        }
    }

    /// The remedy for the sender, in one sentence; empty for success.
    public var hint: String {
        switch self {
        case .done, .accepted, .superseded: ""
        case .badPayload: "Correct the payload as the message says and send it again."
        case .unknownCommand: "Check the spelling of the topic or of cmd against the list of commands."
        case .tooLarge: "Send a smaller message."
        case .unknownDevice: "Use a slug or id that bridge/devices lists."
        case .deviceOffline: "Check that the device has power and network; availability shows when it is online again."
        case .noSession: "Load media or launch an app first."
        case .notSupported: "See can in the state document for what the device accepts now."
        case .notApplied: "See the state document for what the device did instead; it may limit this value or lock it."
        case .notResponding: "Quit the app and load again; if it stays so, restart the device."
        case .loadFailed: "Check that the device itself can reach the URL and that its type is one it plays."
        case .castError: "See data for the reason the device gave."
        case .timeout: "Try again; if it stays so, restart the device."
        case .retainedRejected: "Clear the retained message and send commands without the retain flag."
        case .expired: "Check the clocks of sender and bridge, or give the command more time."
        case .duplicate: "Give each new command an id of its own."
        case .rateLimited: "Wait for answers before sending more."
        case .forbidden: "Use a response topic below the client branch, or one that the configuration allows."
        case .internal: "Report it with the incident number and the log around it."
        }
    }
}
