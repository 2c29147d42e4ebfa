import LogKeys
import NIOCore

extension SimulatedFleet {
    /// Performs an action on one device.
    ///
    /// - Returns: for `state` the simulator's own state of the device, otherwise an empty object.
    /// - Throws: `unknownDevice`, `wrongState`, `invalidRequest`, `resource`.
    @discardableResult
    public func control(_ name: String, _ verb: ControlVerb) async throws(SimulatorError) -> JSON {
        try await self.control(try self.device(name), verb)
    }

    /// Executes one line of the control socket and returns its answer: `{"ok":true,…}` or `{"ok":false,"error":…,"detail":…}`.
    public func answer(line: String) async -> JSON {
        do throws(SimulatorError) { return try await self.answer(try ControlRequest(line: line)) } catch {
            return ["ok": false, "error": .string(error.code.rawValue), "detail": .string(error.detail)]
        }
    }

    func answer(_ request: ControlRequest) async throws(SimulatorError) -> JSON {
        switch request {
        case .list: return ["ok": true, "devices": .array(await self.summaries)]
        case .makeGroup(let leader, let members, let name):
            return ["ok": true, "device": .string(try await self.makeGroup(leader: leader, members: members, name: name))]
        case .dissolve(let name):
            try await self.dissolve(name)
            return ["ok": true]
        case .burst(let count, let change): return await self.burst(count: count, change)
        case .device(ControlRequest.everyDevice, let verb): return await self.controlAll(verb)
        case .device(let name, .state): return ["ok": true, "state": try await self.control(name, .state)]
        case .device(let name, let verb):
            try await self.control(name, verb)
            return ["ok": true]
        }
    }

    private func controlAll(_ verb: ControlVerb) async -> JSON {
        let devices = self.devices
        let results = await Self.all(devices) { device throws(SimulatorError) in try await self.control(device, verb) }
        var failures = JSON.object([])
        var states: [JSON] = []
        for (device, result) in zip(devices, results) {
            switch result {
            case .success(let state): states.append(state)
            case .failure(let error): failures[device.description.controlName] = .string(error.description)
            }
        }
        let failed = devices.count - states.count
        return .members([
            "ok": .bool(failed == 0), "done": .integer(states.count), "failed": failed == 0 ? nil : failures,
            "states": verb == .state ? .array(states) : nil,
        ])
    }

    private func control(_ device: SimulatedDevice, _ verb: ControlVerb) async throws(SimulatorError) -> JSON {
        if verb != .state { await device.record("control", ["do": .string(verb.name)]) }
        switch verb {
        case .state: return await device.state
        case .remote(let action): try await device.perform(action)
        case .join(let name): try await self.join(device, name)
        case .leave(let name):
            try await device.perform(.leave(try self.device(name).description.id))
            await self.introduceGroups()
        case .transfer(let name): try await self.transfer(from: device, to: try self.device(name))
        case .authentication(let manner): await device.setAuthentication(manner)
        case .refuse(let refuses): try await device.refuse(refuses)
        case .reset: try await device.reset()
        case .freeze(let midFrame): try await device.freeze(midFrame: midFrame)
        case .thaw: try await device.thaw()
        case .delay(let delay): await device.setAnswerDelay(delay)
        case .reboot(let duration):
            try await self.switching(device) { () throws(SimulatorError) in try await device.beginReboot() }
            await self.leaderLeft(device)
            let logger = self.logger
            self.jobs.continuation.yield {
                try? await Task.sleep(for: duration)
                do {
                    try await self.switching(device) { () throws(SimulatorError) in try await device.finishReboot() }
                    await self.leaderReturned(device)
                } catch {
                    logger.warning(
                        "device did not start again", metadata: [.device: "\(device.description.controlName)", .error: "\(error)"])
                }
            }
        case .move(let relocation): try await self.move(device, relocation)
        case .stop(let goodbye):
            try await self.switching(device) { () throws(SimulatorError) in try await device.stop(goodbye: goodbye) }
            await self.leaderLeft(device)
        case .start:
            try await self.switching(device) { () throws(SimulatorError) in
                try await device.start()
                try await device.announce()
            }
            await self.leaderReturned(device)
        case .silence(let isSilent): try await device.silence(isSilent)
        }
        return [:]
    }

    private func transfer(from source: SimulatedDevice, to target: SimulatedDevice) async throws(SimulatorError) {
        guard source !== target else { throw SimulatorError(.invalidRequest, "it plays there already") }
        guard let session = await source.storedSession else {
            throw SimulatorError(.wrongState, "nothing that can be moved plays on \(source.description.controlName)")
        }
        try await target.perform(.takeOver(session))
        try await source.perform(.handOver)
    }

    private func burst(count: Int, _ change: ControlRequest.BurstChange) async -> JSON {
        let devices = self.devices.prefix(max(0, count))
        let start = NIODeadline.now().uptimeNanoseconds
        let changes = devices.map { device in device.eventLoop.submit { device.assumeIsolated { $0.burst(change) } } }
        var changed = 0
        for future in changes where (try? await future.get()) ?? false { changed += 1 }
        return ["ok": true, "t_ns": .integer(Int(start)), "done": .integer(changed)]
    }

    func device(_ name: String) throws(SimulatorError) -> SimulatedDevice {
        guard let device = self.devices.first(where: { $0.description.controlName == name }) else {
            throw SimulatorError(.unknownDevice, "no device \"\(name)\"; \"list\" returns their names")
        }
        return device
    }
}
