import Glibc

/// Reads and writes the library's socket, and processes the notices of its callbacks.
extension LinkLoop {
    // MARK: Socket

    func serve(_ handle: MosquittoHandle, revents: Int32, now: Duration) {
        if self.machine.isConnecting { return self.serveConnecting(handle) }
        var result = MosquittoResult.success
        if revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL) != 0 || !handle.handshakeFinished {
            result = handle.read()
            if result == .success { self.watchdog?.received(now: now) }
        }
        if result == .success, revents & POLLOUT != 0, handle.handshakeFinished { result = handle.write() }
        self.processNotices()
        // A notice may have ended the connection.
        guard self.handle === handle else { return }
        // The broker may hold back further acknowledgements and messages until then. Otherwise the next PUBLISH carries the
        // acknowledgement.
        if result == .success, self.hasReceived || !self.outbox.isEmpty { SocketOption.acknowledgeNow(handle.socket) }
        self.hasReceived = false
        if result != .success || handle.socket < 0 {
            self.close(self.reason(of: result, handle))
        } else if self.machine.isWaitingConnack || revents & (POLLERR | POLLHUP) != 0, SocketOption.isAtEnd(handle.socket) {
            // During a TLS handshake the library treats the end of the stream as a reason to wait, and would spin.
            self.close(self.reason(of: .connectionLost, handle))
        }
    }

    private func serveConnecting(_ handle: MosquittoHandle) {
        let error = SystemError(code: SocketOption.pendingError(of: handle.socket))
        if error.code == 0 { return self.perform(self.machine.connected(now: self.now)) }
        handle.fail(with: error)
        self.close(self.reason(of: .connectionLost, handle))
    }

    /// Returns the error for a result of the library and the other known facts about the connection.
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
        // On the loopback interface a peer can accept and close a connection before we check it.
        let wasTaken = !self.machine.isConnecting || result == .tls || handle.isTLSThrough || handle.lastError.isPeerClosing
        if !wasTaken {
            var error = MQTTLinkError(.cannotConnect, result: result, detail: "\(address): \(handle.lastError)")
            error.isRefusedByHost = handle.lastError.isRefusal
            return error
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
                isEarly ? .closedBeforeConnack : .connectionLost, result: result,
                detail: "the connection to \(address) ended: \(handle.lastError)")
        }
    }

    // MARK: Notices

    func processNotices() {
        self.processAcknowledgements()
        guard self.handle?.hasNotices == true else { return }
        // Processing a notice can cause more and call this method again.
        var notices: [MosquittoHandle.Notice] = []
        swap(&notices, &self.notices)
        while let handle = self.handle {
            handle.take(into: &notices)
            if notices.isEmpty { break }
            for notice in notices where self.handle === handle { self.process(notice, handle) }
            notices.removeAll(keepingCapacity: true)
        }
        swap(&notices, &self.notices)
    }

    private func processAcknowledgements() {
        guard let handle = self.handle, !handle.acknowledgements.isEmpty else { return }
        let now = self.now
        var isFarewellDone = false
        for (packetID, reason) in handle.acknowledgements where self.outbox.acknowledged(packetID, reason, now: now) {
            isFarewellDone = true
        }
        handle.acknowledgements.removeAll(keepingCapacity: true)
        if isFarewellDone { self.perform(self.machine.farewellDone()) }
    }

    /// Simplifies the will for the next attempt: a broker without retained messages or QoS 1 refuses a link because of its will (MQTT 5
    /// section 3.2.2.3).
    private func adaptWill(to reason: MQTTReasonCode) {
        switch reason {
        case .retainNotSupported: self.configuration.will?.retain = false
        case .qosNotSupported: self.configuration.will?.qos = .atMostOnce
        default: break
        }
    }

    private func process(_ notice: MosquittoHandle.Notice, _ handle: MosquittoHandle) {
        switch notice {
        case .connack(let code, let sessionPresent, let limits, let keepAlive):
            guard code == 0 else {
                let reason = MQTTReasonCode(connectReturnCode: UInt8(clamping: code))
                self.adaptWill(to: reason)
                return self.perform(self.machine.refused(reason, now: self.now, jitter: self.environment.random()))
            }
            self.welcome = Welcome(sessionPresent: sessionPresent, limits: limits, serverKeepAliveSeconds: keepAlive)
            self.perform(self.machine.accepted(now: self.now))
        case .disconnected(let code):
            if code >= 128 { self.serverReason = MQTTReasonCode(rawValue: UInt8(clamping: code)) }
        case .subscribed(let packetID, let codes): self.outbox.subscribed(packetID, codes)
        case .unsubscribed(let packetID): self.outbox.unsubscribed(packetID)
        case .message(let message):
            self.hasReceived = true
            if let session { self.onEvent(.message(message, epoch: session.epoch)) }
        case .messageTooLarge(let topic, let payloadBytes):
            if let session { self.onEvent(.messageTooLarge(topic: topic, payloadBytes: payloadBytes, epoch: session.epoch)) }
        }
    }
}
