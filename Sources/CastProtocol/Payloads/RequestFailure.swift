@_spi(JSON) import CastModels

/// The error that a receiver reports for a refused request, or for failed playback.
package struct RequestFailure: Sendable, Hashable {
    /// The type of the message: `LAUNCH_ERROR`, `INVALID_REQUEST`, `LOAD_FAILED` and so on.
    package var type: String
    /// The receiver's word for the cause; `nil` when it gave none.
    package var reason: String?
    /// LAUNCH_ERROR only: `USER_NOT_ALLOWED`, `USER_NOTIFICATIONS_DISABLED` or another word.
    package var extendedError: String?
    /// Media only: a code of the CAF `DetailedErrorCode` list.
    package var detailedErrorCode: Int?
    /// Media only: the affected queue item.
    package var itemID: Int?
    package var customData: JSONValue?
}

extension RequestFailure {
    init(_ object: JSONView) {
        self.init(
            type: ReceivedPayload.type(of: object), reason: object.word(PayloadKey.reason), extendedError: object.word("extendedError"),
            detailedErrorCode: object.whole("detailedErrorCode"), itemID: object.whole("itemId"),
            customData: object.any(PayloadKey.customData))
    }

    /// The error that the request throws.
    package var error: CastError {
        CastError(
            self.code, detail: self.type, reason: self.extendedError ?? self.reason, detailedErrorCode: self.detailedErrorCode,
            itemID: self.itemID)
    }

    private var code: CastError.Code {
        switch (self.type, self.reason) {
        case ("LAUNCH_ERROR", _) where self.extendedError != nil: .notAllowed
        case ("LAUNCH_ERROR", "NOT_FOUND"): .applicationNotFound
        case ("LAUNCH_ERROR", "CANCELLED"): .launchRequestCancelled
        case ("LAUNCH_ERROR", "NOT_ALLOWED"): .notAllowed
        case ("LAUNCH_ERROR", "TIMEOUT"): .timeout
        case ("LAUNCH_ERROR", "BAD_PARAMETER"): .invalidRequest
        case ("LAUNCH_ERROR", _): .unknown
        case ("INVALID_REQUEST", "INVALID_SESSION_ID"): .invalidApplicationSessionID
        case ("INVALID_REQUEST", "INVALID_MEDIA_SESSION_ID"): .noMediaSession
        // A command that the receiver does not know, or does not accept now.
        case ("INVALID_REQUEST", "NOT_SUPPORTED"), ("INVALID_REQUEST", "INVALID_COMMAND"): .unsupportedFeature
        case ("INVALID_REQUEST", _): .invalidRequest
        case ("INVALID_PLAYER_STATE", _): .invalidMediaPlayerState
        case ("LOAD_FAILED", _): .mediaLoadFailed
        case ("LOAD_CANCELLED", _): .replaced
        case ("ERROR", _): .mediaError
        default: .unknown
        }
    }
}
