/// What can be done to a device through the control socket, a scenario or `SimulatedFleet.control`.
public enum ControlVerb: Sendable, Hashable {
    /// Tells the simulator's own truth about the device.
    case state
    /// Acts as another sender or a remote control would.
    case remote(RemoteAction)
    /// Closes the listeners, so that connections are refused; `false` opens them again.
    case refuse(Bool)
    /// Breaks off every connection with a reset.
    case reset
    /// Makes every link half-open; half a frame may be sent first.
    case freeze(midFrame: Bool)
    case thaw
    /// How long answers take from now on.
    case delay(ClosedRange<Duration>)
    /// Everything is gone without a word and back after this time, without application and media. Needs `SimulatedFleet.run()`.
    case reboot(Duration)
    /// Takes another address or port, and is announced there.
    case move(Relocation)
    /// Switches the device off, with or without taking leave.
    case stop(goodbye: Bool)
    case start
    /// Stops (`true`) or resumes answering for the device in multicast DNS.
    case silence(Bool)
    /// The device with this control name joins the group.
    case join(String)
    /// The device with this control name leaves the group.
    case leave(String)
    /// The device with this control name goes on with what plays here, as if another sender had moved it.
    case transfer(to: String)
    /// How authentication challenges are answered from now on.
    case authentication(AuthenticationManner)

    /// As requests spell it in `do`.
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
        case .remote(.say): "say"
        case .remote(.distort): "distort"
        case .remote(.undistort): "undistort"
        case .remote(.ignore): "ignore"
        case .remote(.habit): "habit"
        case .remote(.sabotage): "sabotage"
        }
    }

    /// Where a device moves.
    public struct Relocation: Sendable, Hashable {
        /// IPv4; `nil` keeps it.
        public var address: String?
        /// `nil` keeps it; 0 lets the system choose.
        public var port: Int?
        /// For groups: control name of the device that leads from now on, whose address is taken.
        public var leader: String?

        public init(address: String? = nil, port: Int? = nil, leader: String? = nil) {
            (self.address, self.port, self.leader) = (address, port, leader)
        }
    }
}

/// One line of the control socket.
public enum ControlRequest: Sendable, Hashable {
    /// The control name that means every device and group.
    public static let everyDevice = "*"

    case list
    case device(String, ControlVerb)
    /// Changes the status of that many devices at the same moment.
    case burst(count: Int, BurstChange)
    /// Makes a temporary group of devices, named by their control names.
    case makeGroup(leader: String, members: [String], name: String)
    /// Ends a temporary group.
    case dissolve(String)

    /// What a burst changes.
    public enum BurstChange: Sendable, Hashable {
        /// Moves the volume up or down by a quarter.
        case volume
        /// Pauses what plays and plays what is paused.
        case playback
        /// Continues with this item, as `RemoteAction.next`.
        case item(RemoteItem)
    }
}
