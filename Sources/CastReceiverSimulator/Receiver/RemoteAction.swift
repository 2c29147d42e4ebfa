/// Something done to a device by other hands than a connected sender's: another sender, a remote control, the device itself.
public enum RemoteAction: Sendable, Hashable {
    /// Loads an item, launching the application first when another one runs.
    case load(RemoteItem)
    /// Continues with this item when the current one ends, without loading or buffering: one status reports the change.
    case next(RemoteItem)
    /// Plays on after a pause.
    case resume
    case pause
    /// Seconds from the start of the item.
    case seek(Double)
    case stopMedia
    /// Ends the application.
    case quit
    case volume(VolumeChange)
    /// How the volume is controlled from now on: `attenuation`, `master`, `fixed`.
    case volumeControl(String)
    /// The television goes to or wakes from standby, or shows another input; `nil` leaves that as it is.
    case screen(standBy: Bool?, activeInput: Bool?)
    /// Whether launches wait for the user's permission from now on.
    case askPermission(Bool)
    /// The user allows or refuses the launch that waits.
    case answerPermission(Bool)
    /// Says any message to every sender: as the application when that speaks the namespace, else as the platform.
    case say(namespace: String, JSON)
    /// Changes outgoing messages from now on.
    case distort(Distortion)
    /// Ends all distortions.
    case undistort
    /// Requests of this `type` get no answer and change nothing from now on; `false` ends that.
    case ignore(type: String, Bool)
    case habit(Habit, Bool)
    case sabotage(Sabotage, Bool)
    /// Goes on with what another device played.
    case takeOver(StoredSession)
    /// What plays here goes on elsewhere.
    case handOver
    /// A device joins this group.
    case join(GroupMember)
    /// The device with this id leaves this group.
    case leave(String)
}

/// An item that another sender loads.
public struct RemoteItem: Sendable, Hashable {
    public var url: String
    public var title: String?
    /// Metadata as in MediaInformation; `title` is filled in when it lacks one.
    public var metadata: JSON?
    public var contentType: String
    public var streamType: String?
    /// Seconds; `nil` lets the URL decide.
    public var durationSeconds: Double?
    /// Seconds from the start at which it begins.
    public var positionSeconds: Double
    public var autoplay: Bool
    /// Application id.
    public var applicationID: String

    public init(
        url: String, title: String? = nil, metadata: JSON? = nil, contentType: String = "video/mp4", streamType: String? = nil,
        durationSeconds: Double? = nil, positionSeconds: Double = 0, autoplay: Bool = true,
        applicationID: String = ReceiverApp.defaultMediaReceiver.id
    ) {
        self.url = url
        self.title = title
        self.metadata = metadata
        self.contentType = contentType
        self.streamType = streamType
        self.durationSeconds = durationSeconds
        self.positionSeconds = positionSeconds
        self.autoplay = autoplay
        self.applicationID = applicationID
    }

    /// MediaInformation.
    var media: JSON {
        var metadata = self.metadata ?? ["metadataType": 0]
        if let title, metadata["title"] == nil { metadata["title"] = .string(title) }
        return .members([
            "contentId": .string(self.url), "contentType": .string(self.contentType), "streamType": .string(self.streamType ?? "BUFFERED"),
            "duration": self.durationSeconds.map(JSON.number), "metadata": metadata,
        ])
    }
}
