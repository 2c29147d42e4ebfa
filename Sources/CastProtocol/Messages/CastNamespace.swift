/// The namespaces of the Cast platform; each names the protocol of its payloads (openscreen `cast/common/channel/message_util.h`).
/// Applications define their own: `urn:x-cast:` and a domain or word.
public enum CastNamespace {
    /// Device authentication. Payloads are binary; messages go to the platform.
    public static let deviceAuthentication = "urn:x-cast:com.google.cast.tp.deviceauth"
    /// Opening and closing virtual connections.
    public static let connection = "urn:x-cast:com.google.cast.tp.connection"
    public static let heartbeat = "urn:x-cast:com.google.cast.tp.heartbeat"
    /// The platform's own commands and status: running application, launch and stop, device volume.
    public static let receiver = "urn:x-cast:com.google.cast.receiver"
    /// The player of an application; messages go to its transport id.
    public static let media = "urn:x-cast:com.google.cast.media"
    /// Speaker groups and their members.
    public static let multizone = "urn:x-cast:com.google.cast.multizone"
    /// Information about the device (`eureka_info`).
    public static let setup = "urn:x-cast:com.google.cast.setup"
    /// The identity of the device (GET_DEVICE_INFO).
    public static let discovery = "urn:x-cast:com.google.cast.receiver.discovery"
    public static let broadcast = "urn:x-cast:com.google.cast.broadcast"

    /// The prefix of every namespace.
    public static let prefix = "urn:x-cast:"
    /// The prefix that is reserved for the platform.
    public static let reservedPrefix = "urn:x-cast:com.google.cast."
}
