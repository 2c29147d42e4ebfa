import CastModels

/// A message of a client that is sent to a device almost unchanged.
public enum RawMessage: Sendable, Hashable {
    /// A request to the media session; request id and media session id are added.
    case media(JSONObject)
    /// A request to the platform (receiver namespace); the request id is added.
    case receiver(JSONObject)
    /// A message on a custom namespace that the configuration allows. No answer is expected.
    case channel(namespace: String, target: Target, ChannelPayload)

    public enum Target: String, Sendable, Hashable, CaseIterable { case application, device }
}

/// The payload of a message on a custom namespace.
public enum ChannelPayload: Sendable, Hashable {
    case text(String)
    case binary([UInt8])
}
