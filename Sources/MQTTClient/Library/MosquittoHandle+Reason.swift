extension MosquittoHandle {
    /// Returns the error for a result of the library and the other known facts about the connection.
    /// - Parameters:
    ///   - isConnecting: whether TCP was not connected yet.
    ///   - isEarly: whether no CONNACK was received yet.
    func reason(of result: MosquittoResult, isConnecting: Bool = false, isEarly: Bool = false) -> MQTTLinkError {
        let tlsError = self.tlsErrors.joined(separator: "; ")
        if let serverReason {
            return MQTTLinkError(.disconnectedByBroker, reasonCode: serverReason, detail: "\(self.address) sent DISCONNECT")
        }
        if let problem = self.verifyProblem {
            let detail = "the certificate of \(self.address) was not accepted: \(problem)"
            return MQTTLinkError(.certificateRejected, result: result, detail: detail)
        }
        if tlsError.contains("alert") {
            return MQTTLinkError(.refusedByTLSAlert, result: result, detail: "\(self.address) refused the TLS handshake: \(tlsError)")
        }
        // On the loopback interface a peer can accept and close a connection before we check it.
        let wasTaken = !isConnecting || result == .tls || self.isTLSThrough || self.lastError.isPeerClosing
        if !wasTaken {
            var error = MQTTLinkError(.cannotConnect, result: result, detail: "\(self.address): \(self.lastError)")
            error.isRefusedByHost = self.lastError.isRefusal
            return error
        }
        if !self.handshakeFinished {
            let detail = tlsError.isEmpty ? "the connection ended" : tlsError
            return MQTTLinkError(.tlsFailed, result: result, detail: "no TLS connection with \(self.address): \(detail)")
        }
        switch result {
        case .protocolError, .malformedPacket, .notSupported, .topicAliasInvalid, .malformedUTF8, .duplicateProperty:
            return MQTTLinkError(.protocolError, result: result, detail: "\(self.address) sent something that MQTT does not allow")
        case .keepAlive:
            return MQTTLinkError(.halfOpen, result: result, detail: "\(self.address) did not answer a ping within the keep-alive")
        default:
            return MQTTLinkError(
                isEarly ? .closedBeforeConnack : .connectionLost, result: result,
                detail: "the connection to \(self.address) ended: \(self.lastError)")
        }
    }
}
