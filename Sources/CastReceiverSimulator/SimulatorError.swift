/// Why the simulator could not do what it was asked to.
public struct SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure, for programs; more may come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A setting is out of range or malformed.
        public static let configuration = Code(rawValue: "configuration")
        /// An address or port could not be listened on, or a file not be opened.
        public static let resource = Code(rawValue: "resource")
        /// A control request is malformed.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// No device has the given control name.
        public static let unknownDevice = Code(rawValue: "unknown_device")
        /// The device cannot do this in its present state.
        public static let wrongState = Code(rawValue: "wrong_state")
    }

    public var code: Code
    /// For people; names what was wrong.
    public var detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { "\(self.code.rawValue): \(self.detail)" }
}
