/// An action on a device that does not come from a connected sender: by another sender, a remote control, or the device itself.
public enum RemoteAction: Sendable, Hashable {
    /// Loads an item and launches its application first if another one is running.
    case load(RemoteItem)
    /// Continues with this item when the current one ends, without loading or buffering: one status reports the change.
    case next(RemoteItem)
    /// Resumes after a pause.
    case resume
    case pause
    /// Seeks to a position in seconds from the start of the item.
    case seek(Double)
    case stopMedia
    /// Ends the application.
    case quit
    case volume(VolumeChange)
    /// Sets the kind of volume control: `attenuation`, `master`, `fixed`.
    case volumeControl(String)
    /// Sets the standby state or the selected input of the television; `nil` leaves it unchanged.
    case screen(standBy: Bool?, activeInput: Bool?)
    /// Sets whether launches wait for the user's permission.
    case askPermission(Bool)
    /// Allows or refuses the waiting launch.
    case answerPermission(Bool)
    /// Sends a message to every sender: from the application if it supports the namespace, otherwise from the platform.
    case sendMessage(namespace: String, JSON)
    /// Changes outgoing messages from now on.
    case distort(Distortion)
    /// Ends all distortions.
    case undistort
    /// Ignores requests of this `type` from now on: they get no answer and change nothing. `false` ends this.
    case ignore(type: String, Bool)
    /// Answers requests of this `type` with the status from now on, and changes nothing. `false` ends this.
    case pretend(type: String, Bool)
    case habit(Habit, Bool)
    case sabotage(Sabotage, Bool)
    /// Continues the playback of another device.
    case takeOver(StoredSession)
    /// Ends the playback here because it continues on another device.
    case handOver
    /// Adds a device to this group.
    case join(GroupMember)
    /// Removes the device with this id from this group.
    case leave(String)
}

/// An item that another sender loads.
public struct RemoteItem: Sendable, Hashable {
    public var url: String
    public var title: String?
    /// Metadata as in MediaInformation; a missing `title` is filled in.
    public var metadata: JSON?
    public var contentType: String
    public var streamType: String?
    /// The duration in seconds; `nil` lets the URL decide.
    public var durationSeconds: Double?
    /// Seconds from the start at which it begins.
    public var positionSeconds: Double
    public var autoplay: Bool
    /// The application id.
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

    /// The MediaInformation of the item.
    var media: JSON {
        var metadata = self.metadata ?? ["metadataType": 0]
        if let title, metadata["title"] == nil { metadata["title"] = .string(title) }
        return .members([
            "contentId": .string(self.url), "contentType": .string(self.contentType), "streamType": .string(self.streamType ?? "BUFFERED"),
            "duration": self.durationSeconds.map(JSON.number), "metadata": metadata,
        ])
    }
}
