import CastModels

extension CommandResult {
    /// The answer for a failed Cast request.
    ///
    /// Only errors raised before anything was written may become `device_offline`; a link that broke while an answer was due is a
    /// `cast_error`, because the device may have obeyed.
    public init(_ error: CastError) {
        let code = Self.code(of: error.code)
        var data: JSONObject = [:]
        if code == .castError || code == .loadFailed || code == .notSupported || error.reason != nil {
            data["cast_reason"] = .string(error.reason ?? Self.word(of: error.code))
        }
        if let number = error.detailedErrorCode {
            data["detailed_error_code"] = .integer(Int64(number))
            if let name = DetailedErrorCode.name(of: number) { data["detailed_error"] = .string(name) }
        }
        self.init(code, message: Self.message(for: error), data: data, hint: Self.hint(for: error.code))
    }

    private static func code(of code: CastError.Code) -> AnswerCode {
        switch code {
        case .deviceNotConnected, .channelNotConnected, .deviceIdentityMismatch, .deviceAuthenticationFailure: .deviceOffline
        case .timeout: .timeout
        case .replaced: .superseded
        case .notAllowed, .invalidState, .invalidMediaPlayerState, .unsupportedFeature: .notSupported
        case .messageTooBig: .tooLarge
        case .sendBufferFull: .rateLimited
        case .applicationNotRunning, .invalidApplicationSessionID, .noMediaSession: .noSession
        case .mediaLoadFailed: .loadFailed
        default: .castError
        }
    }

    /// A reason of ours where the receiver gave none: the code's name in the receivers' spelling.
    private static func word(of code: CastError.Code) -> String {
        String(code.description.uppercased().map { $0 == " " ? "_" : $0 })
    }

    private static func message(for error: CastError) -> String {
        var text = error.code.description
        if !error.detail.isEmpty { text += ": \(error.detail)" }
        if let reason = error.reason { text += " (\(reason))" }
        return text
    }

    private static func hint(for code: CastError.Code) -> String? {
        switch code {
        case .networkError: "The link broke before the device answered; look at its state before trying again."
        case .applicationNotFound: "Check the app id, and that this kind of device can run the app and has internet access."
        case .launchRequestCancelled: "Someone refused the launch at the screen, or another app was starting; try again."
        case .deviceIdentityMismatch: "Another device answered at this address; it is found again by itself."
        case .deviceAuthenticationFailure: "The device did not prove that it is genuine."
        case .messageTooBig: "Shorten metadata, tracks or custom_data: a Cast message holds 64 KiB."
        default: nil
        }
    }
}

/// The receivers' `detailedErrorCode` (Cast reference: `cast.framework.events.DetailedErrorCode`).
public enum DetailedErrorCode {
    /// The name of a code, also of one with a longer suffix (an HTTP status or a player's number); `nil` when unknown.
    public static func name(of code: Int) -> String? {
        if let name = self.names[code] { return name }
        var prefix = code
        while prefix > 999 { prefix /= 10 }
        return prefix == code ? nil : self.names[prefix]
    }

    private static let names: [Int: String] = [
        100: "MEDIA_UNKNOWN", 101: "MEDIA_ABORTED", 102: "MEDIA_DECODE", 103: "MEDIA_NETWORK", 104: "MEDIA_SRC_NOT_SUPPORTED",
        110: "SOURCE_BUFFER_FAILURE", 200: "MEDIAKEYS_UNKNOWN", 201: "MEDIAKEYS_NETWORK", 202: "MEDIAKEYS_UNSUPPORTED",
        203: "MEDIAKEYS_WEBCRYPTO", 300: "NETWORK_UNKNOWN", 301: "SEGMENT_NETWORK", 311: "HLS_NETWORK_MASTER_PLAYLIST",
        312: "HLS_NETWORK_PLAYLIST", 313: "HLS_NETWORK_NO_KEY_RESPONSE", 314: "HLS_NETWORK_KEY_LOAD",
        315: "HLS_NETWORK_INVALID_SEGMENT", 316: "HLS_SEGMENT_PARSING", 321: "DASH_NETWORK", 322: "DASH_NO_INIT",
        331: "SMOOTH_NETWORK", 332: "SMOOTH_NO_MEDIA_DATA", 400: "MANIFEST_UNKNOWN", 411: "HLS_MANIFEST_MASTER",
        412: "HLS_MANIFEST_PLAYLIST", 420: "DASH_MANIFEST_UNKNOWN", 421: "DASH_MANIFEST_NO_PERIODS",
        422: "DASH_MANIFEST_NO_MIMETYPE", 423: "DASH_INVALID_SEGMENT_INFO", 431: "SMOOTH_MANIFEST", 500: "SEGMENT_UNKNOWN",
        600: "TEXT_UNKNOWN", 900: "APP", 901: "BREAK_CLIP_LOADING_ERROR", 902: "BREAK_SEEK_INTERCEPTOR_ERROR", 903: "IMAGE_ERROR",
        904: "LOAD_INTERRUPTED", 905: "LOAD_FAILED", 906: "MEDIA_ERROR_MESSAGE", 909: "GENERIC", 999: "GENERIC",
    ]
}
