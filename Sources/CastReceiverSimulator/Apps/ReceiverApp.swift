/// An application that simulated devices can run.
public struct ReceiverApp: Sendable, Hashable {
    public var id: String
    public var displayName: String
    public var namespaces: [String]
    public var isIdleScreen: Bool
    /// Whether it needs a display: audio devices then report it as unavailable.
    public var needsDisplay: Bool
    /// Whether `statusText` names the current title, as music services do; else it is the display name.
    public var showsTitle: Bool
    /// Whether it ends when its last strong sender leaves.
    public var endsWithoutStrongSenders: Bool

    public var playsMedia: Bool { self.namespaces.contains(Namespace.media) }

    public init(
        id: String, displayName: String, namespaces: [String], isIdleScreen: Bool = false, needsDisplay: Bool = false,
        showsTitle: Bool = false,
        endsWithoutStrongSenders: Bool = false
    ) {
        self.id = id
        self.displayName = displayName
        self.namespaces = namespaces
        self.isIdleScreen = isIdleScreen
        self.needsDisplay = needsDisplay
        self.showsTitle = showsTitle
        self.endsWithoutStrongSenders = endsWithoutStrongSenders
    }

    /// Google's player for any URL.
    public static let defaultMediaReceiver = ReceiverApp(
        id: "CC1AD845", displayName: "Default Media Receiver", namespaces: [Namespace.controlApp, Namespace.debugOverlay, Namespace.media])
    /// A made-up music service: its status text follows the title, and it echoes what is sent on its own namespace.
    public static let orchardRadio = ReceiverApp(
        id: "5A1D0001", displayName: "Orchard Radio", namespaces: [Namespace.controlApp, Namespace.media, Namespace.echo], showsTitle: true)
    /// A made-up picture frame: no media namespace, needs a display, and ends with its last strong sender.
    public static let pictureFrame = ReceiverApp(
        id: "5A1D0002", displayName: "Picture Frame", namespaces: [Namespace.controlApp, Namespace.echo], needsDisplay: true,
        endsWithoutStrongSenders: true)
    /// The idle screen of video devices.
    static let backdrop = ReceiverApp(
        id: "E8C28D3C", displayName: "Backdrop", namespaces: [Namespace.debugOverlay, Namespace.controlApp, Namespace.backdrop],
        isIdleScreen: true,
        needsDisplay: true)

    /// The applications a device can launch.
    public static let all = [defaultMediaReceiver, orchardRadio, pictureFrame]
}
