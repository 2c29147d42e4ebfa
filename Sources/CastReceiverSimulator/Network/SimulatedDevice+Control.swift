import NIOCore

extension SimulatedDevice {
    /// Switches the device on: opens its listeners and announces it.
    func start() async throws(SimulatorError) {
        guard self.power != .on else { throw SimulatorError(.wrongState, "\(self.description.controlName) is on already") }
        self.power = .on
        do throws(SimulatorError) { try await self.listen() } catch {
            self.power = .off
            throw error
        }
        self.record("start", ["address": .string(self.endpoint.address), "port": .integer(self.endpoint.port)])
    }

    /// Switches the device off.
    ///
    /// - Parameter goodbye: whether the device sends an mDNS goodbye and closes its senders' connections properly.
    func stop(goodbye: Bool) async throws(SimulatorError) {
        guard self.power != .off else { throw SimulatorError(.wrongState, "\(self.description.controlName) is off already") }
        self.power = .off
        self.isFrozen = false
        await self.withdraw(goodbye: goodbye)
        self.dropSockets(reset: !goodbye)
        await self.stopListening()
        self.stopTimer()
        self.forgetSessions()
        self.record("stop", ["goodbye": .bool(goodbye)])
    }

    /// The first half of a reboot: everything ends without notice.
    func beginReboot() async throws(SimulatorError) {
        try await self.stop(goodbye: false)
        self.power = .rebooting
        (self.certificate, self.tlsContext) = (nil, nil)
    }

    /// The second half: unless it was switched on or off meanwhile, the device starts with a new certificate.
    func finishReboot() async throws(SimulatorError) {
        guard self.power == .rebooting else { return }
        try await self.start()
        try await self.announce()
    }

    /// Clears the state that a device loses without power: applications and media, not its volume.
    private func forgetSessions() {
        self.stopFetching()
        let release = self.model.releaseMembers()
        self.model.restart()
        self.perform(release)
        self.updateAnnouncement()
    }

    func refuse(_ refuses: Bool) async throws(SimulatorError) {
        try self.requirePower()
        if refuses { await self.stopListening() } else if self.castListener == nil { try await self.listen() }
    }

    func reset() throws(SimulatorError) {
        try self.requirePower()
        self.dropSockets(reset: true)
    }

    /// Makes every link half-open: nothing is read or written any more, and the kernel alone accepts new connections.
    func freeze(midFrame: Bool) async throws(SimulatorError) {
        try self.requirePower()
        guard !self.isFrozen else { throw SimulatorError(.wrongState, "\(self.description.controlName) is frozen already") }
        self.isFrozen = true
        self.shutGates(midFrame: midFrame)
        for listener in [self.castListener].compactMap({ $0 }) + self.webListeners {
            try? await listener.setOption(.autoRead, value: false).get()
        }
    }

    func thaw() async throws(SimulatorError) {
        guard self.isFrozen else { throw SimulatorError(.wrongState, "\(self.description.controlName) is not frozen") }
        self.isFrozen = false
        self.openGates()
        for listener in [self.castListener].compactMap({ $0 }) + self.webListeners {
            try? await listener.setOption(.autoRead, value: true).get()
            listener.read()
        }
    }

    /// Moves the device to another address or port, as after a new lease or an election of a group's leader; connections are reset.
    ///
    /// - Parameter hostUUID: the id of the device whose host name is used from now on; `nil` keeps it.
    func move(address: String?, port: Int?, hostUUID: String?) async throws(SimulatorError) {
        try self.requirePower()
        if let address, IPv4Address(address) == nil { throw SimulatorError(.invalidRequest, "\(address) is not an IPv4 address") }
        if let port, !(0...65_535).contains(port) { throw SimulatorError(.invalidRequest, "\(port) is not a port") }
        let old = self.endpoint
        await self.stopListening()
        self.dropSockets(reset: true)
        self.endpoint = Endpoint(address: address ?? old.address, port: port ?? old.port, hostUUID: hostUUID ?? old.hostUUID)
        do throws(SimulatorError) { try await self.listen() } catch {
            self.endpoint = old
            try await self.listen()
            throw error
        }
        self.updateAnnouncement()
        self.record("move", ["address": .string(self.endpoint.address), "port": .integer(self.endpoint.port)])
    }

    /// Sets another address and host name while the device is switched off.
    func place(at address: String, hostUUID: String) {
        self.endpoint = Endpoint(address: address, port: self.endpoint.port, hostUUID: hostUUID)
    }

    /// Stops or resumes answering for the device in multicast DNS, without a goodbye; the device itself stays reachable.
    func silence(_ isSilent: Bool) async throws(SimulatorError) {
        if isSilent {
            await self.withdraw(goodbye: false)
            self.isSilent = true
        } else {
            self.isSilent = false
            if self.power == .on { try await self.announce() }
        }
    }

    private func requirePower() throws(SimulatorError) {
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
        state["frozen"] = .bool(self.isFrozen)
        state["refusing"] = .bool(self.power == .on && self.castListener == nil)
        state["silent"] = .bool(self.isSilent)
        return state
    }
}
