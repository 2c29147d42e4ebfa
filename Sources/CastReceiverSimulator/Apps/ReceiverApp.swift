/// An application that simulated devices can run.
public struct ReceiverApp: Sendable, Hashable {
    public var id: String
    public var displayName: String
    public var namespaces: [String]
    public var isIdleScreen: Bool
    /// Whether it needs a display. Audio devices report such an application as unavailable.
    public var needsDisplay: Bool
    /// Whether `statusText` is the current title, as for music services; otherwise it is the display name.
    public var showsTitle: Bool
    /// Whether it ends when its last strong sender disconnects.
    public var endsWithoutStrongSenders: Bool
    /// Whether it supports and announces `QUEUE_NEXT`, `QUEUE_PREV` and `QUEUE_SHUFFLE`; others require `QUEUE_UPDATE`.
    public var hasQueueCommands: Bool
    /// Whether its session can be moved to another device with `STORE_SESSION` and `RESUME_SESSION`.
    public var supportsTransfer: Bool

    public var playsMedia: Bool { self.namespaces.contains(Namespace.media) }

    public init(
        id: String, displayName: String, namespaces: [String], isIdleScreen: Bool = false, needsDisplay: Bool = false,
        showsTitle: Bool = false, endsWithoutStrongSenders: Bool = false, hasQueueCommands: Bool = false, supportsTransfer: Bool = false
    ) {
        self.id = id
        self.displayName = displayName
        self.namespaces = namespaces
        self.isIdleScreen = isIdleScreen
        self.needsDisplay = needsDisplay
        self.showsTitle = showsTitle
        self.endsWithoutStrongSenders = endsWithoutStrongSenders
        self.hasQueueCommands = hasQueueCommands
        self.supportsTransfer = supportsTransfer
    }

    /// Google's player for any URL.
    public static let defaultMediaReceiver = ReceiverApp(
        id: "CC1AD845", displayName: "Default Media Receiver", namespaces: [Namespace.controlApp, Namespace.debugOverlay, Namespace.media],
        supportsTransfer: true)
    /// An invented music service: its status text is the title, and it echoes the messages on its own namespace.
    public static let orchardRadio = ReceiverApp(
        id: "5A1D0001", displayName: "Orchard Radio", namespaces: [Namespace.controlApp, Namespace.media, Namespace.echo], showsTitle: true,
        hasQueueCommands: true)
    /// An invented picture frame: it has no media namespace, needs a display, and ends with its last strong sender.
    public static let pictureFrame = ReceiverApp(
        id: "5A1D0002", displayName: "Picture Frame", namespaces: [Namespace.controlApp, Namespace.echo], needsDisplay: true,
        endsWithoutStrongSenders: true)
    /// A public application that shows web pages: needs a display, has no media namespace.
    public static let dashCast = ReceiverApp(
        id: "84912283", displayName: "DashCast", namespaces: [Namespace.controlApp, Namespace.dashCast], needsDisplay: true)
    /// Shows the screen or the tab of a browser.
    public static let mirroring = ReceiverApp(
        id: "0F5096E8", displayName: "Chrome Mirroring", namespaces: [Namespace.controlApp, Namespace.mirroring], needsDisplay: true,
        endsWithoutStrongSenders: true)
    /// Plays the sound of a browser's tab.
    public static let audioMirroring = ReceiverApp(
        id: "85CDB22F", displayName: "Chrome Audio Mirroring", namespaces: [Namespace.controlApp, Namespace.mirroring],
        endsWithoutStrongSenders: true)
    /// The idle screen of video devices.
    static let backdrop = ReceiverApp(
        id: "E8C28D3C", displayName: "Backdrop", namespaces: [Namespace.debugOverlay, Namespace.controlApp, Namespace.backdrop],
        isIdleScreen: true,
        needsDisplay: true)

    /// The application that the leading member of a playing group shows.
    static let groupLeader = ReceiverApp(id: "MultizoneLeader", displayName: "Multizone Leader", namespaces: [Namespace.controlApp])
    /// The application that the other members of a playing group show.
    static let groupFollower = ReceiverApp(id: "MultizoneFollower", displayName: "Multizone Follower", namespaces: [Namespace.controlApp])

    var isPlaceholder: Bool { self.id == Self.groupLeader.id || self.id == Self.groupFollower.id }

    /// The applications a device can launch.
    public static let all = [defaultMediaReceiver, orchardRadio, pictureFrame, dashCast, mirroring, audioMirroring]
}
