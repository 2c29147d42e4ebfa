/// An error of the simulator.
public struct SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for programs; later versions may add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A setting is out of range or malformed.
        public static let configuration = Code(rawValue: "configuration")
        /// An address or port could not be used for listening, or a file could not be opened.
        public static let resource = Code(rawValue: "resource")
        /// A control request is malformed.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// No device has the given control name.
        public static let unknownDevice = Code(rawValue: "unknown_device")
        /// The state of the device does not allow the action.
        public static let wrongState = Code(rawValue: "wrong_state")
    }

    public var code: Code
    /// The details, for people; names the fault.
    public var detail: String

    public init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }

    public var description: String { "\(self.code.rawValue): \(self.detail)" }
}
