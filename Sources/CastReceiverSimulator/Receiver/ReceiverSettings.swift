/// How a simulated receiver behaves beyond its model: its speed, its applications, what is broken.
public struct ReceiverSettings: Sendable, Hashable {
    /// How long it takes to answer a message; heartbeats are answered at once.
    public var answerDelay: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(50)
    /// From `LAUNCH` to the application's first status.
    public var launchTime: ClosedRange<Duration> = .milliseconds(100) ... .milliseconds(400)
    /// From `LOAD` to BUFFERING.
    public var loadingTime: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(300)
    /// How long the player buffers after loading and seeking.
    public var bufferingTime: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(200)
    /// After this long without a media session an application without strong senders ends.
    public var applicationIdleTime: Duration = .seconds(300)
    /// Whether every status tells the media, as some applications do, or only one in which it changed.
    public var repeatsMedia = false
    /// The applications that can be launched.
    public var applications = ReceiverApp.all
    public var sabotages: Set<Sabotage> = []
    /// Ways of real receivers beyond those of the model.
    public var habits: Set<Habit> = []
    /// After this long in pause the application ends; `nil` never.
    public var pauseLimit: Duration?
    /// How long the user has to answer a question on the screen.
    public var permissionTimeout: Duration = .seconds(120)
    /// Whether URLs of media are asked for, as real receivers do; else the URL itself decides how loading goes.
    public var fetchesMedia = false

    public init() {}
}
