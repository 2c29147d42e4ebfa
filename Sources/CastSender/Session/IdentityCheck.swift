import CastModels

/// Decides which identity questions to send to a device, and when its identity is known. Does no I/O.
///
/// Devices answer GET_DEVICE_INFO, `eureka_info`, both or neither. The second is requested once while a device is supervised, for values
/// that only it contains. Later it is requested only from devices that do not answer the first, because it is a burden to some.
struct IdentityCheck {
    enum Question: Hashable { case deviceInformation, eurekaInformation }

    enum Outcome: Equatable {
        case wait
        case ask(Question)
        case identified(DeviceIdentity)
        /// The device does not report its identity.
        case unknown
    }

    private var open: Set<Question> = []
    private var asked: Set<Question> = []
    private(set) var identity: DeviceIdentity?
    /// The question that gave the id.
    private(set) var source: Question?
    let isEurekaWanted: Bool
    /// At the port of a speaker group, `eureka_info` describes the device that leads it.
    private let isEurekaTrusted: Bool
    let expected: Device.ID?

    /// - Parameters:
    ///   - expected: the device to reach; `nil` accepts any device.
    ///   - isEurekaWanted: whether to request `eureka_info` in any case.
    ///   - isEurekaTrusted: whether `eureka_info` may show that this is another device.
    init(expected: Device.ID?, isEurekaWanted: Bool, isEurekaTrusted: Bool) {
        self.expected = expected
        self.isEurekaWanted = isEurekaWanted
        self.isEurekaTrusted = isEurekaTrusted
    }

    /// Whether all answers needed before the session can be used have arrived.
    var isSettled: Bool { self.identity != nil || (!self.asked.isEmpty && self.open.isEmpty) }

    mutating func start() -> [Question] {
        let questions: [Question] = self.isEurekaWanted ? [.deviceInformation, .eurekaInformation] : [.deviceInformation]
        self.open = Set(questions)
        self.asked = self.open
        return questions
    }

    mutating func answered(_ information: DeviceInformation?, to question: Question) -> Outcome {
        // An answer after its time limit is still used.
        guard self.open.remove(question) != nil || (self.identity == nil && information != nil) else { return .wait }
        if let information, let id = information.id, self.isBelieved(id, from: question) {
            let found = DeviceIdentity(id: id, information: information)
            let known = self.identity.map { $0.id == id ? $0.merged(with: found) : $0 } ?? found
            guard known != self.identity else { return .wait }
            self.identity = known
            if self.source != .deviceInformation { self.source = question }
            return .identified(known)
        }
        guard self.identity == nil else { return .wait }
        if self.asked.insert(.eurekaInformation).inserted {
            self.open.insert(.eurekaInformation)
            return .ask(.eurekaInformation)
        }
        return self.open.isEmpty ? .unknown : .wait
    }

    private func isBelieved(_ id: Device.ID, from question: Question) -> Bool {
        switch question {
        case .deviceInformation: true
        case .eurekaInformation: self.isEurekaTrusted || id == self.expected
        }
    }
}
