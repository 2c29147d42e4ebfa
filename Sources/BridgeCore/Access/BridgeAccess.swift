import CastModels

/// The bridge as the web page, its API and tests see it: the documents, events and commands of MQTT without a broker.
///
/// Any thread may call it. What it returns is what MQTT clients would get; secrets are replaced.
public protocol BridgeAccess: Sendable {
    /// Begins to watch documents and events, and ends the former watch. Nothing is formed without a watch.
    /// - Returns: the watch; the caller ends it with `end`.
    func watch() async -> any BridgeWatch

    /// Carries out a command as if it had arrived over MQTT, and waits for its final answer. A cancelled caller gets an answer at once; the
    /// command goes on.
    /// - Parameters:
    ///   - topic: a command topic below the base: `living-room/cmd/pause`.
    ///   - payload: as on that topic.
    ///   - caller: a name that is the same for all commands of one session, token or address, and different for others.
    func perform(_ topic: String, payload: [UInt8], by caller: String) async -> DirectAnswer

    /// Gets the picture of what a device plays, in the size that fits best.
    /// - Parameters:
    ///   - device: slug, id or alias.
    ///   - item: the queue item whose picture it is; `nil` for what plays.
    ///   - width: pixels of the place it is shown in, above 0; `nil` when any will do.
    func artwork(of device: String, item: Int?, width: Int?) async -> Result<ArtworkPicture, ArtworkFailure>

    /// Gets the picture of something that a person can choose to play.
    func picture(of choice: MediaChoice) async -> Result<ArtworkPicture, ArtworkFailure>

    /// Returns what happened to a device's link in this run of the bridge; `nil` for an unknown device.
    /// - Parameter device: slug, id or alias.
    func linkHistory(of device: String) async -> LinkHistory?

    /// Returns the newest events that are kept over restarts, the newest first.
    /// - Parameters:
    ///   - device: slug, id or alias; `nil` for all.
    ///   - failed: whether only failures are returned.
    func history(of device: String?, since: Timestamp, failed: Bool, limit: Int) async -> [JSONObject]

    /// Returns the last lines of the log, oldest first.
    /// - Parameters:
    ///   - level: the lowest level.
    ///   - component: matches whole labels or the names of types; `nil` matches all.
    func logLines(from level: LogLevel, of component: GlobPattern?) -> [LogEntry]

    /// The settings in force, by section, without secrets.
    var configuration: JSONObject { get }
}

/// A reader's view of documents and events: what has changed since it last asked, newest values only.
///
/// One task at a time may read.
public protocol BridgeWatch: Sendable {
    /// Waits for changes. The first ones have every document.
    /// - Returns: `nil` once the watch has ended: by `end`, by a later watch, with the bridge, with the cancellation of a waiting task, or
    ///   because the reader was so late that changes had to be dropped. A new watch begins with every document again.
    func next() async -> BridgeChanges?

    /// Asks for the lines of the log from this level on; `nil` asks for none.
    func watchLog(from level: LogLevel?)

    /// Ends the watch. Does nothing when it has ended.
    func end()
}

/// The final answer of a command that did not come over MQTT.
public struct DirectAnswer: Sendable, Hashable {
    public var code: AnswerCode
    /// Whether the answer's `status` is `error`; a `duplicate` has the status of the first answer.
    public var isError: Bool
    /// The JSON object that an MQTT client gets on its response topic.
    public var body: [UInt8]

    public init(code: AnswerCode, isError: Bool, body: [UInt8]) { (self.code, self.isError, self.body) = (code, isError, body) }
}

/// A picture of a known format.
public struct ArtworkPicture: Sendable, Hashable {
    /// `image/jpeg`, `image/png`, `image/webp`, `image/gif` or `image/avif`, found by its first bytes.
    public var contentType: String
    public var bytes: [UInt8]

    public init(contentType: String, bytes: [UInt8]) { (self.contentType, self.bytes) = (contentType, bytes) }
}

/// Something that a person can choose to play.
public enum MediaChoice: Sendable, Hashable {
    /// A file or folder of the media server, by its path.
    case file(String)
    /// A preset, by its name.
    case preset(String)
    /// What was played before, by the time at which it was loaded, as `media/browse` has it.
    case recent(String)
}

public enum ArtworkFailure: Error, Sendable, Hashable {
    case unknownDevice
    /// The current media or the queue item has no picture.
    case noArtwork
    /// Its server did not send a picture that may be shown.
    case notFetched
    /// Too many pictures are asked for.
    case rateLimited
}
