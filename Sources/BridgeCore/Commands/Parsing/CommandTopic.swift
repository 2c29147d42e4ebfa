/// The parts of a topic on which commands are received, read without the payload.
struct CommandTopic: Equatable {
    enum Branch: Equatable {
        /// `set` (JSON) or `set/<name>`.
        case set(String?)
        /// `cmd` (JSON) or `cmd/<verb>`.
        case cmd(String?)
        /// `get/<doc>`; `nil` without a name.
        case get(String?)
        /// `ns/<namespace>/send`.
        case channel(String)
        /// `bridge/request/<verb>`; `nil` without a verb.
        case request(String?)
    }

    private static let send = "/send"

    /// The device level: `all` addresses every device, `bridge` the bridge.
    var subject: String
    var branch: Branch
    /// The levels after the device level, for the answer's `cmd`.
    var tail: String

    /// Returns `nil` for a topic that is not a command topic of the bridge: outside the base, in another branch, or in the free space of
    /// clients.
    init?(_ topic: String, base: String) {
        guard let levels = TopicTree.levels(of: topic, below: base, atMost: 3), levels.count >= 2, levels[0] != "client" else { return nil }
        let name = levels.count > 2 ? levels[2] : nil
        switch (levels[0], levels[1]) {
        case ("bridge", "request"): self.branch = .request(name)
        case (_, "set"): self.branch = .set(name)
        case (_, "cmd"): self.branch = .cmd(name)
        case (_, "get"): self.branch = .get(name)
        case (_, "ns"):
            guard let name, name.utf8.count > Self.send.utf8.count, name.hasSuffix(Self.send) else { return nil }
            self.branch = .channel(String(name.dropLast(Self.send.count)))
        default: return nil
        }
        self.subject = levels[0]
        self.tail = name.map { levels[1] + "/" + $0 } ?? levels[1]
    }
}
