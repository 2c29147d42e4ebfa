/// An application in the foreground.
struct RunningApplication: Sendable {
    var definition: ReceiverApp
    var sessionID: String
    var transportID: String
    var player: Player
    /// Whether statuses list its namespaces; `false` between the two statuses of a launch in steps.
    var showsNamespaces = true
    /// The web page that it shows: its URL, whether it was forced, and its reload interval in milliseconds.
    var page: JSON?
    /// What a sender mirrors.
    var mirror: Mirror?
    /// The sender that waits for the current load.
    var loadAsker: Asker?
    /// The status of the previous media session, for receivers that keep reporting it.
    var formerSession: JSON?
    /// When to check whether it has been idle for too long; `nil` for the idle screen.
    var idleCheck: Duration?

    /// Returns the sender that waits for the current load, once.
    mutating func takeLoadAsker() -> Asker? {
        defer { self.loadAsker = nil }
        return self.loadAsker
    }

    var statusText: String {
        guard self.definition.showsTitle, self.player.hasSession, let title = self.player.queue?.current.title else {
            return self.definition.isIdleScreen ? "" : self.definition.displayName
        }
        return title
    }

    /// The element of `RECEIVER_STATUS.status.applications`.
    func json(appType: String) -> JSON {
        [
            "appId": .string(self.definition.id), "appType": .string(appType), "displayName": .string(self.definition.displayName),
            "iconUrl": "", "isIdleScreen": .bool(self.definition.isIdleScreen), "launchedFromCloud": false,
            "namespaces": .array(self.showsNamespaces ? self.definition.namespaces.map { ["name": .string($0)] } : []),
            "senderApps": [], "sessionId": .string(self.sessionID), "statusText": .string(self.statusText),
            "transportId": .string(self.transportID), "universalAppId": .string(self.definition.id),
        ]
    }
}

struct PendingLaunch: Sendable {
    /// The largest number of requests that may wait for one launch.
    static let maximumAskers = 64

    var definition: ReceiverApp
    var askers: [Asker]
    /// Whether the application is reported already, without its namespaces.
    var isVisible = false
    var due: Duration
    /// Whether the user has not answered yet; the launch fails at `due`.
    var waitsForUser = false
}
