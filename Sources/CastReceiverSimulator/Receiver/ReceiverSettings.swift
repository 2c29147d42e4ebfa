/// The behaviour of a simulated receiver beyond its model: its delays, its applications, its faults.
public struct ReceiverSettings: Sendable, Hashable {
    /// The delay of an answer; heartbeats are answered at once.
    public var answerDelay: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(50)
    /// The time from `LAUNCH` to the application's first status.
    public var launchTime: ClosedRange<Duration> = .milliseconds(100) ... .milliseconds(400)
    /// The time from `LOAD` to BUFFERING.
    public var loadingTime: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(300)
    /// The duration of buffering after loading and seeking.
    public var bufferingTime: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(200)
    /// The time without a media session after which an application without strong senders ends.
    public var applicationIdleTime: Duration = .seconds(300)
    /// Whether every status contains the media, as with some applications, or only one in which it changed.
    public var repeatsMedia = false
    /// The applications that can be launched.
    public var applications = ReceiverApp.all
    public var sabotages: Set<Sabotage> = []
    /// Habits of real receivers beyond those of the model.
    public var habits: Set<Habit> = []
    /// The time in pause after which the application ends; `nil` means never.
    public var pauseLimit: Duration?
    /// Whether the user is asked before an application starts.
    var asksPermission = false
    /// How long the user may take to answer a question on the screen.
    public var permissionTimeout: Duration = .seconds(120)
    /// Whether media URLs are requested, as by real receivers; otherwise the URL itself determines how loading proceeds.
    public var fetchesMedia = false

    public init() {}
}
