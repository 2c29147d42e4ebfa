@_spi(JSON) import CastModels

/// A payload of the receiver namespace.
package enum ReceiverMessage: Sendable, Hashable {
    /// RECEIVER_STATUS: a complete status, requested or not.
    case status(ReceiverStatus)
    /// LAUNCH_STATUS: a launch waits for the viewers' permission, or is permitted. That the application runs is reported by `status`.
    case launchStatus(LaunchStatus)
    /// LAUNCH_ERROR: a launch failed.
    case launchError(RequestFailure)
    /// INVALID_REQUEST: the receiver refused a request.
    case invalidRequest(RequestFailure)
    /// GET_APP_AVAILABILITY: the availability by application id, `APP_AVAILABLE`, `APP_UNAVAILABLE` or another word.
    case appAvailability([String: String])
    case unknown(type: String)

    init(_ object: JSONView) {
        switch ReceivedPayload.type(of: object) {
        case "RECEIVER_STATUS": self = .status(ReceiverStatus(wire: Self.statusObject(in: object)))
        case "LAUNCH_STATUS": self = .launchStatus(LaunchStatus(rawValue: object.text(PayloadKey.status) ?? ""))
        case "LAUNCH_ERROR": self = .launchError(RequestFailure(object))
        case "INVALID_REQUEST": self = .invalidRequest(RequestFailure(object))
        case "GET_APP_AVAILABILITY": self = .appAvailability(Self.availability(in: object))
        case let type: self = .unknown(type: type)
        }
    }

    /// Returns the status: the object `status`, the first object of an array `status`, or the message itself if its fields are at the top
    /// level.
    private static func statusObject(in object: JSONView) -> JSONView {
        object.object(PayloadKey.status) ?? object.objects(PayloadKey.status) { $0 }?.first ?? object
    }

    private static func availability(in object: JSONView) -> [String: String] {
        var words: [String: String] = [:]
        guard let availability = object.object("availability") else { return words }
        for (key, value) in availability.members { words[key.string] = value.stringValue }
        return words
    }
}
