/// An error of this module, for programs (`code`) and for people (`detail`).
package struct MulticastDNSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An open set of codes; later versions may add some.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A name has an empty or too long label, or is too long as a whole.
        package static let invalidName = Code(rawValue: "invalid_name")
        /// A TXT entry has an unusable key or is longer than 255 bytes.
        package static let invalidText = Code(rawValue: "invalid_text")
        /// A service to announce has no address, no port or a name of another type.
        package static let invalidService = Code(rawValue: "invalid_service")
        /// The packet is not a DNS message.
        package static let malformedMessage = Code(rawValue: "malformed_message")
        /// The system refused a socket, an option or a packet.
        package static let system = Code(rawValue: "system")
        /// A named interface does not exist, is down or has no usable address.
        package static let interfaceUnusable = Code(rawValue: "interface_unusable")
        /// The service is already announced, or the table is full.
        package static let alreadyAnnounced = Code(rawValue: "already_announced")
        /// No service of that name is announced.
        package static let notAnnounced = Code(rawValue: "not_announced")
        /// The table of `limits` is full.
        package static let limitReached = Code(rawValue: "limit_reached")
        /// `run()` is already in progress.
        package static let alreadyRunning = Code(rawValue: "already_running")
        /// `run()` ended before the call completed.
        package static let stopped = Code(rawValue: "stopped")
    }

    package let code: Code
    package let detail: String
    /// The affected network interface; `nil` when none is.
    package let interface: String?
    /// The system's error number; `nil` when the system did not cause the error.
    package let systemErrorNumber: Int32?

    package init(_ code: Code, detail: String, interface: String? = nil, systemErrorNumber: Int32? = nil) {
        self.code = code
        self.detail = detail
        self.interface = interface
        self.systemErrorNumber = systemErrorNumber
    }

    package var description: String {
        let place = self.interface.map { " on \($0)" } ?? ""
        return "\(self.code.rawValue)\(place): \(self.detail)"
    }
}
