/// What went wrong, for programs (`code`) and for people (`detail`).
public struct MulticastDNSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An open set of reasons; a later version may add some.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A name has an empty or too long label, or is too long as a whole.
        public static let invalidName = Code(rawValue: "invalid_name")
        /// A TXT entry has an unusable key or is longer than 255 bytes.
        public static let invalidText = Code(rawValue: "invalid_text")
        /// A service to announce has no address, no port or a name of another type.
        public static let invalidService = Code(rawValue: "invalid_service")
        /// The packet is not a DNS message.
        public static let malformedMessage = Code(rawValue: "malformed_message")
        /// The system refused a socket, an option or a packet.
        public static let system = Code(rawValue: "system")
        /// A named interface does not exist, is down or has no usable address.
        public static let interfaceUnusable = Code(rawValue: "interface_unusable")
        /// The service is announced already, or the table is full.
        public static let alreadyAnnounced = Code(rawValue: "already_announced")
        /// No service of that name is announced.
        public static let notAnnounced = Code(rawValue: "not_announced")
        /// `limits` leaves no room for one more.
        public static let limitReached = Code(rawValue: "limit_reached")
        /// `run()` is under way already.
        public static let alreadyRunning = Code(rawValue: "already_running")
        /// `run()` ended before the call was done.
        public static let stopped = Code(rawValue: "stopped")
    }

    public let code: Code
    public let detail: String
    /// The network interface concerned, if it is about one.
    public let interface: String?
    /// The system's error number, if the system refused.
    public let systemErrorNumber: Int32?

    public init(_ code: Code, detail: String, interface: String? = nil, systemErrorNumber: Int32? = nil) {
        self.code = code
        self.detail = detail
        self.interface = interface
        self.systemErrorNumber = systemErrorNumber
    }

    public var description: String {
        let place = self.interface.map { " on \($0)" } ?? ""
        return "\(self.code.rawValue)\(place): \(self.detail)"
    }
}
