import CastModels

extension CommandResult {
    /// The answer for a failed Cast request.
    ///
    /// Only errors raised before anything was written may become `device_offline`; a link that broke while an answer was due is a
    /// `cast_error`, because the device may have obeyed.
    public init(_ error: CastError) {
        // An invalid argument is refused before anything is sent.
        let code = error.argument != nil && error.code == .invalidRequest ? .badPayload : Self.code(of: error.code)
        var data: JSONObject = [:]
        if code == .castError || code == .loadFailed || code == .notSupported || error.reason != nil {
            // When the receiver gave no reason: the code's name in the receivers' spelling.
            let word = String(error.code.description.uppercased().map { $0 == " " ? "_" : $0 })
            data["cast_reason"] = .string(error.reason ?? word)
        }
        if let number = error.detailedErrorCode {
            data["detailed_error_code"] = .integer(Int64(number))
            if let name = DetailedErrorCode(rawValue: number).name { data["detailed_error"] = .string(name) }
        }
        self.init(code, message: Self.message(for: error), data: data, hint: Self.hint(for: error.code))
    }

    private static func code(of code: CastError.Code) -> AnswerCode {
        switch code {
        // Nothing was sent before there is a link, so callers handle an unreachable device and an untrusted one alike.
        case .deviceNotConnected, .sessionSuspended, .deviceIdentityMismatch, .networkNotReachable, .socketInvalidAddress: .deviceOffline
        case _ where code.isAuthenticationFailure: .deviceOffline
        case .timeout: .timeout
        case .replaced: .superseded
        case .notAllowed, .invalidState, .invalidMediaPlayerState, .unsupportedFeature, .duplicateRequest, .deviceAuthorizationFailure,
            .requestIgnored, .applicationNotFound:
            .notSupported
        case .messageTooBig: .tooLarge
        case .sendBufferFull, .maxUsersConnected: .rateLimited
        case .applicationNotRunning, .invalidApplicationSessionID, .noMediaSession, .sessionIsNotActive, .notCastSession,
            .channelNotConnected:
            .noSession
        case .notApplied: .notApplied
        case .notResponding: .notResponding
        case .mediaLoadFailed: .loadFailed
        default: .castError
        }
    }

    private static func message(for error: CastError) -> String {
        if let argument = error.argument, error.code == .invalidRequest { return "\(argument): \(error.detail)." }
        var text = error.code.description
        if !error.detail.isEmpty { text += ": \(error.detail)" }
        if let reason = error.reason { text += " (\(reason))" }
        return text
    }

    private static func hint(for code: CastError.Code) -> String? {
        switch code {
        case .networkError: "The link broke before the device answered; check its state before trying again."
        case .applicationNotFound: "Check the app id, and that this kind of device can run the app and has internet access."
        case .launchRequestCancelled: "Someone refused the launch at the screen, or another app was starting; try again."
        case .deviceIdentityMismatch: "Another device answered at this address; it is found again by itself."
        case _ where code.isAuthenticationFailure: "The device did not prove that it is genuine."
        case .channelNotConnected: "Launch an application that speaks the namespace first."
        case .messageTooBig: "Shorten metadata, tracks or custom_data: a Cast message holds 64 KiB."
        default: nil
        }
    }
}
