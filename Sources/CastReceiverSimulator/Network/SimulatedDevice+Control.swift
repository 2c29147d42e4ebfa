import CastProtocol
import NIOCore

extension SimulatedDevice {
    func refuse(_ refuses: Bool) async throws(SimulatorError) {
        try self.requirePower()
        try await self.listeners.inTurn { () throws(SimulatorError) in
            if refuses { await self.listeners.close() } else if !self.listeners.isOpen { try await self.listen() }
        }
    }

    func reset() throws(SimulatorError) {
        try self.requirePower()
        self.dropSockets(reset: true)
    }

    /// Makes every link half-open: nothing is read or written any more, and the kernel alone accepts new connections.
    func freeze(midFrame: Bool) async throws(SimulatorError) {
        try self.requirePower()
        guard !self.sockets.isFrozen else { throw SimulatorError(.wrongState, "\(self.description.controlName) is frozen already") }
        let message = CastMessage(
            sourceID: CastMessage.platformReceiverID, destinationID: CastMessage.broadcastID, namespace: Namespace.receiver,
            payload: .text(self.model.receiverStatus.description))
        self.sockets.freeze(cutting: midFrame ? message : nil)
        self.stopTimer()
        await self.listeners.inTurn { await self.listeners.setAccepting(false) }
    }

    func thaw() async throws(SimulatorError) {
        guard self.sockets.isFrozen else { throw SimulatorError(.wrongState, "\(self.description.controlName) is not frozen") }
        self.thawSockets()
        await self.listeners.inTurn { await self.listeners.setAccepting(true) }
    }

    /// Stops or resumes answering for the device in multicast DNS, without a goodbye; the device itself stays reachable.
    func silence(_ isSilent: Bool) async throws(SimulatorError) {
        if isSilent { await self.withdraw(goodbye: false) }
        self.announcement.setSilent(isSilent)
        if !isSilent, self.power == .on { try await self.announce() }
    }

    func requirePower() throws(SimulatorError) {
        guard self.power == .on else { throw SimulatorError(.wrongState, "\(self.description.controlName) is \(self.power.rawValue)") }
    }

    /// The data with which another device can continue the current playback.
    var storedSession: StoredSession? { self.model.storedSession(at: self.now) }

    /// The simulator's own state of the device.
    var state: JSON {
        var state = self.model.state(at: self.now)
        state["address"] = .string(self.endpoint.address)
        state["port"] = .integer(self.endpoint.port)
        state["power"] = .string(self.power.rawValue)
        state["frozen"] = .bool(self.sockets.isFrozen)
        state["refusing"] = .bool(self.power == .on && !self.listeners.isOpen)
        state["silent"] = .bool(self.announcement.isSilent)
        return state
    }
}
