/// The error of a request, a connection or a session.
public struct CastError: Error, Sendable, Hashable {
    public var code: Code
    /// The cause, for people; never a payload, never a secret.
    public var detail: String
    /// The receiver's own reason (`reason` of its answer), when it gave one.
    public var reason: String?
    /// The receiver's `detailedErrorCode`, when it gave one.
    public var detailedErrorCode: Int?
    /// The queue item that the receiver named.
    public var itemID: Int?
    /// The invalid argument of the call, as a path (`items[3].startTime`); nothing was sent. `nil` for other errors.
    public var argument: String?

    public init(
        _ code: Code, detail: String = "", reason: String? = nil, detailedErrorCode: Int? = nil, itemID: Int? = nil,
        argument: String? = nil
    ) {
        self.code = code
        self.detail = detail
        self.reason = reason
        self.detailedErrorCode = detailedErrorCode
        self.itemID = itemID
        self.argument = argument
    }
}

extension CastError: CustomStringConvertible {
    public var description: String {
        var text = "\(self.code)"
        if let argument { text += " \(argument)" }
        if let reason { text += " (\(reason))" }
        if let detailedError { text += " [\(detailedError)]" }
        return self.detail.isEmpty ? text : "\(text): \(self.detail)"
    }
}
