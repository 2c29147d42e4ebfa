/// The namespaces a receiver speaks, all spelled here.
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
    static let backdrop = "urn:x-cast:com.google.cast.sse"
    /// Of the made-up applications: every message comes back to its sender.
    static let echo = "urn:x-cast:org.example.echo"
    /// Of DashCast: messages with the web page to show.
    static let dashCast = "urn:x-cast:com.madmod.dashcast"
}
