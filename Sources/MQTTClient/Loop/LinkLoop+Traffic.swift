import Glibc

/// What goes over the link: the library's socket, its notices, and the owner's commands.
extension LinkLoop {
    // MARK: Socket

    func serve(_ handle: MosquittoHandle, revents: Int32) {
        if self.machine.isConnecting { return self.serveConnecting(handle) }
        var result = MosquittoResult.success
        if revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL) != 0 || !handle.handshakeFinished {
            result = handle.read()
            if result == .success { self.watchdog?.heard(now: self.now) }
        }
        if result == .success, revents & POLLOUT != 0, handle.handshakeFinished { result = handle.write() }
        self.heedNotices()
        // A notice may have ended the connection.
        guard self.handle === handle else { return }
        if result != .success || handle.socket < 0 {
            self.end(self.reason(of: result, handle))
        } else if self.machine.isWaitingConnack || revents & (POLLERR | POLLHUP) != 0, SocketOption.isAtEnd(handle.socket) {
            // During a TLS handshake the library takes the end of the stream for a reason to wait, and would spin.
            self.end(self.reason(of: .connectionLost, handle))
        }
    }

    private func serveConnecting(_ handle: MosquittoHandle) {
        let error = SystemError(code: SocketOption.pendingError(of: handle.socket))
        if error.code == 0 { return self.perform(self.machine.connected(now: self.now)) }
        handle.fail(with: error)
        self.end(self.reason(of: .connectionLost, handle))
    }

    /// Puts a result of the library, and what else is known about the connection, into words.
    func reason(of result: MosquittoResult, _ handle: MosquittoHandle) -> MQTTLinkError {
        let address = handle.address
        let tlsError = handle.tlsErrors.joined(separator: "; ")
        if let serverReason {
            return MQTTLinkError(.disconnectedByBroker, reasonCode: serverReason, detail: "\(address) sent DISCONNECT")
        }
        if let problem = handle.verifyProblem {
            return MQTTLinkError(.certificateRejected, result: result, detail: "the certificate of \(address) was not accepted: \(problem)")
        }
        if tlsError.contains("alert") {
            return MQTTLinkError(.refusedByTLSAlert, result: result, detail: "\(address) refused the TLS handshake: \(tlsError)")
        }
        // On the loopback interface a peer can take and end a connection before we look at it.
        let wasTaken = !self.machine.isConnecting || result == .tls || handle.lastError.isPeerClosing
        if !wasTaken {
            return MQTTLinkError(.cannotConnect, result: result, detail: "\(address): \(handle.lastError)")
        }
        if !handle.handshakeFinished {
            let detail = tlsError.isEmpty ? "the connection ended" : tlsError
            return MQTTLinkError(.tlsFailed, result: result, detail: "no TLS connection with \(address): \(detail)")
        }
        switch result {
        case .protocolError, .malformedPacket, .notSupported, .topicAliasInvalid, .malformedUTF8, .duplicateProperty:
            return MQTTLinkError(.protocolError, result: result, detail: "\(address) sent something that MQTT does not allow")
        case .keepAlive:
            return MQTTLinkError(.halfOpen, result: result, detail: "\(address) did not answer a ping within the keep-alive")
        default:
            let isEarly = self.machine.isWaitingConnack || self.machine.isConnecting
            return MQTTLinkError(
                isEarly ? .closedBeforeConnack : .connectionLost, result: result, detail: "the connection to \(address) ended: \(handle.lastError)")
        }
    }

    // MARK: Notices

    func heedNotices() {
        // Carrying one out can cause more.
        while let handle = self.handle {
            let notices = handle.takeNotices()
            if notices.isEmpty { return }
            for notice in notices where self.handle === handle { self.heed(notice, handle) }
        }
    }

    private func heed(_ notice: MosquittoHandle.Notice, _ handle: MosquittoHandle) {
        switch notice {
        case .connack(let code, let sessionPresent, let limits, let keepAlive):
            guard code == 0 else {
                let reason = MQTTReasonCode(connectReturnCode: UInt8(clamping: code))
                return self.perform(self.machine.refused(reason, now: self.now, jitter: self.environment.random()))
            }
            guard case .announce(let epoch, let remember) = self.machine.accepted(now: self.now) else { return }
            let session = MQTTSession(
                epoch: epoch, sessionPresent: sessionPresent, protocolVersion: handle.version, serverKeepAliveSeconds: keepAlive,
                limits: limits, peer: "\(handle.address)")
            self.announce(session, remember: remember)
        case .disconnected(let code):
            if code >= 128 { self.serverReason = MQTTReasonCode(rawValue: UInt8(clamping: code)) }
        case .acknowledged(let packetID, let reason):
            if self.outbox.acknowledged(packetID, reason) { self.perform(self.machine.farewellDone()) }
        case .subscribed(let packetID, let codes): self.outbox.subscribed(packetID, codes)
        case .unsubscribed(let packetID): self.outbox.unsubscribed(packetID)
        case .message(let message):
            if let session { self.onEvent(.message(message, epoch: session.epoch)) }
        case .messageTooLarge(let topic, let payloadBytes):
            if let session { self.onEvent(.messageTooLarge(topic: topic, payloadBytes: payloadBytes, epoch: session.epoch)) }
        }
    }

    // MARK: Commands

    func carryOut(_ command: ClientCommand) {
        // The link may have ended since the command was taken from the mailbox.
        guard self.machine.liveEpoch != nil, let handle = self.handle, let session = self.session else {
            self.core.finished(bytes: command.weight)
            return command.finishLost()
        }
        switch command {
        case .publish(let message, let completion): self.publish(message, handle, session, bytes: command.weight, completion)
        case .subscribe(let filters, let completion): self.subscribe(filters, handle, bytes: command.weight, completion)
        case .unsubscribe(let filters, let completion): self.unsubscribe(filters, handle, bytes: command.weight, completion)
        }
    }

    private func publish(
        _ message: MQTTMessage, _ handle: MosquittoHandle, _ session: MQTTSession, bytes: Int,
        _ completion: @escaping @Sendable (MQTTPublishOutcome) -> Void
    ) {
        var refusal = message.fault().map { MQTTRefusal.invalid($0) }
        if let limit = session.limits.maximumPacketSize, message.packetSize(version: handle.version) > Int(limit) { refusal = .tooLarge }
        if let refusal {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        switch handle.publish(message) {
        case .success(let packetID):
            if !self.outbox.add(packetID, .publish(bytes: bytes, completion: completion), now: self.now) { self.endForReusedPacketID() }
        case .failure(let result) where result.isAboutLink:
            self.core.finished(bytes: bytes)
            completion(.connectionLost)
            self.end(self.reason(of: result, handle))
        case .failure(let result):
            self.core.finished(bytes: bytes)
            completion(.refused(result == .oversizePacket || result == .payloadSize ? .tooLarge : .library(result)))
        }
    }

    private func subscribe(
        _ filters: [MQTTSubscription], _ handle: MosquittoHandle, bytes: Int, _ completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        struct Options: Hashable {
            var qos: MQTTQoS
            var options: Int32
        }
        if let refusal = Self.refusal(of: filters.map(\.filter)) {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        // The library gives all filters of a packet the same options.
        let groups = Dictionary(grouping: filters.indices) { Options(qos: filters[$0].qos, options: filters[$0].options) }
            .sorted { ($0.value.first ?? 0) < ($1.value.first ?? 0) }
        let parts = Outbox.Parts(filters: filters.count, packets: groups.count, completion: completion)
        for (place, group) in groups.enumerated() {
            switch handle.subscribe(group.value.map { filters[$0].filter }, qos: group.key.qos, options: group.key.options) {
            case .success(let packetID):
                let entry = Outbox.Entry.subscribe(parts, indices: group.value, isFirst: place == 0, bytes: bytes)
                if !self.outbox.add(packetID, entry, now: self.now) { return self.endForReusedPacketID() }
            case .failure(let result):
                if place == 0 { self.core.finished(bytes: bytes) }
                parts.finish(result.isAboutLink ? .connectionLost : .refused(.library(result)))
                if result.isAboutLink { self.end(self.reason(of: result, handle)) }
                return
            }
        }
    }

    private func unsubscribe(
        _ filters: [String], _ handle: MosquittoHandle, bytes: Int, _ completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        if let refusal = Self.refusal(of: filters) {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        switch handle.unsubscribe(filters) {
        case .success(let packetID):
            let entry = Outbox.Entry.unsubscribe(count: filters.count, bytes: bytes, completion: completion)
            if !self.outbox.add(packetID, entry, now: self.now) { self.endForReusedPacketID() }
        case .failure(let result):
            self.core.finished(bytes: bytes)
            completion(result.isAboutLink ? .connectionLost : .refused(.library(result)))
            if result.isAboutLink { self.end(self.reason(of: result, handle)) }
        }
    }

    private static func refusal(of filters: [String]) -> MQTTRefusal? {
        if filters.isEmpty { return .invalid("no filter") }
        let isUnfit = filters.contains { $0.isEmpty || $0.utf8.count > 65_535 || $0.utf8.contains(0) }
        return isUnfit ? .invalid("a topic filter has 1 to 65535 bytes and no NUL") : nil
    }

    private func endForReusedPacketID() {
        self.end(MQTTLinkError(.acknowledgementTimedOut, detail: "the broker left a message unacknowledged while 65535 others passed"))
    }
}
