import CastModels

/// A message that goes to a device nearly as it came.
public enum RawMessage: Sendable, Hashable {
    /// To the media session; request and session ids are filled in.
    case media(JSONObject)
    /// To the platform; the request id is filled in.
    case receiver(JSONObject)
    /// On a namespace that is allowed; nobody answers.
    case channel(namespace: String, target: Target, ChannelPayload)

    /// Who gets it.
    public enum Target: String, Sendable, Hashable, CaseIterable { case application, device }
}

/// What a message of a custom namespace carries.
public enum ChannelPayload: Sendable, Hashable {
    case text(String)
    case binary([UInt8])
}
