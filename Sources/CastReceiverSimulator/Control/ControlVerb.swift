/// An action on a device, through the control socket, a scenario or `SimulatedFleet.control`.
public enum ControlVerb: Sendable, Hashable {
    /// Returns the simulator's own state of the device.
    case state
    /// Acts like another sender or a remote control.
    case remote(RemoteAction)
    /// Closes the listeners, so that connections are refused; `false` opens them again.
    case refuse(Bool)
    /// Resets every connection.
    case reset
    /// Makes every link half-open; half a frame may be sent first.
    case freeze(midFrame: Bool)
    case thaw
    /// Sets the delay of answers from now on.
    case delay(ClosedRange<Duration>)
    /// Disconnects without notice and restarts after this time, without application and media. Needs `SimulatedFleet.run()`.
    case reboot(Duration)
    /// Moves the device to another address or port, and announces it there.
    case move(Relocation)
    /// Switches the device off, with or without a goodbye.
    case stop(goodbye: Bool)
    case start
    /// Stops (`true`) or resumes answering for the device in multicast DNS.
    case silence(Bool)
    /// The device with this control name joins the group.
    case join(String)
    /// The device with this control name leaves the group.
    case leave(String)
    /// Continues the current playback on the device with this control name, as if another sender had moved it.
    case transfer(to: String)
    /// Sets how authentication challenges are answered from now on.
    case authentication(AuthenticationManner)

    /// The name in `do` of requests.
    var name: String {
        switch self {
        case .state: "state"
        case .remote(.load), .remote(.resume): "play"
        case .remote(.next): "next"
        case .remote(.pause): "pause"
        case .remote(.seek): "seek"
        case .remote(.stopMedia): "media_stop"
        case .remote(.quit): "quit"
        case .remote(.volume), .remote(.volumeControl): "volume"
        case .refuse: "refuse"
        case .reset: "reset"
        case .freeze: "freeze"
        case .thaw: "thaw"
        case .delay: "delay"
        case .reboot: "reboot"
        case .move: "move"
        case .stop: "stop"
        case .start: "start"
        case .silence: "silence"
        case .join, .remote(.join): "join"
        case .leave, .remote(.leave): "leave"
        case .transfer, .remote(.takeOver), .remote(.handOver): "transfer"
        case .authentication: "authentication"
        case .remote(.screen): "screen"
        case .remote(.askPermission), .remote(.answerPermission): "permission"
        case .remote(.sendMessage): "say"
        case .remote(.distort): "distort"
        case .remote(.undistort): "undistort"
        case .remote(.ignore): "ignore"
        case .remote(.pretend): "pretend"
        case .remote(.habit): "habit"
        case .remote(.sabotage): "sabotage"
        }
    }

    /// The new address of a device.
    public struct Relocation: Sendable, Hashable {
        /// The IPv4 address; `nil` keeps the current one.
        public var address: String?
        /// The port; `nil` keeps the current one, 0 lets the system choose.
        public var port: Int?
        /// For groups: the control name of the new leader, whose address is used.
        public var leader: String?

        public init(address: String? = nil, port: Int? = nil, leader: String? = nil) {
            (self.address, self.port, self.leader) = (address, port, leader)
        }
    }
}

/// One line of the control socket.
public enum ControlRequest: Sendable, Hashable {
    /// The control name that selects every device and group.
    public static let everyDevice = "*"

    case list
    case device(String, ControlVerb)
    /// Changes the status of `count` devices at the same moment.
    case burst(count: Int, BurstChange)
    /// Creates a temporary group of devices, named by their control names.
    case makeGroup(leader: String, members: [String], name: String)
    /// Removes a temporary group.
    case dissolve(String)

    /// The change of a burst.
    public enum BurstChange: Sendable, Hashable {
        /// Moves the volume up or down by a quarter.
        case volume
        /// Pauses playing devices and resumes paused ones.
        case playback
        /// Continues with this item, like `RemoteAction.next`.
        case item(RemoteItem)
    }
}
