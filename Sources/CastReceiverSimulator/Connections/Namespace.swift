/// The namespaces that a receiver supports; they are spelled only here.
enum Namespace {
    static let authentication = "urn:x-cast:com.google.cast.tp.deviceauth"
    static let connection = "urn:x-cast:com.google.cast.tp.connection"
    static let heartbeat = "urn:x-cast:com.google.cast.tp.heartbeat"
    static let receiver = "urn:x-cast:com.google.cast.receiver"
    static let media = "urn:x-cast:com.google.cast.media"
    static let multizone = "urn:x-cast:com.google.cast.multizone"
    static let setup = "urn:x-cast:com.google.cast.setup"
    static let discovery = "urn:x-cast:com.google.cast.receiver.discovery"
    static let controlApp = "urn:x-cast:com.google.cast.cac"
    static let debugOverlay = "urn:x-cast:com.google.cast.debugoverlay"
    /// The offer of a mirrored screen and its answer.
    static let mirroring = "urn:x-cast:com.google.cast.webrtc"
    static let backdrop = "urn:x-cast:com.google.cast.sse"
    /// The namespace of the invented applications: every message is returned to its sender.
    static let echo = "urn:x-cast:org.example.echo"
    /// The namespace of DashCast: messages with the web page to show.
    static let dashCast = "urn:x-cast:com.madmod.dashcast"
}
