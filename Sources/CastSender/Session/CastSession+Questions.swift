import CastModels
import CastProtocol
import NIOCore

/// The requests that a session sends by itself, and their answers.
extension CastSession {
    func askReceiverStatus() {
        self.sendRequest(
            RequestTerms(CastNamespace.receiver, timeout: self.configuration.statusTimeout, name: ReceiverRequest.getStatus.type),
            payload: { id throws(CastError) in try ReceiverRequest.getStatus.text(requestID: id) },
            completion: { result in
                guard case .failure(let error) = result else { return }
                self.assumeIsolated { $0.receiverStatusFailed(error) }
            })
    }

    /// A device that does not report its status cannot become ready; later its heartbeat decides.
    private func receiverStatusFailed(_ error: CastError) {
        guard !self.machine.isReady else { return }
        self.close(CastError(error.code, detail: "the device does not report its status: \(error.detail)"))
    }

    /// Requests the media status of the application without waiting; it arrives as an event. Does nothing without an application that has a
    /// player.
    public func askMediaStatus() {
        guard let transport = self.machine.transport, transport.speaksMedia else { return }
        self.askMediaStatus(of: transport.id)
    }

    func askMediaStatus(of transportID: String) {
        guard self.mediaQuestions.insert(transportID).inserted else { return }
        self.sendRequest(
            RequestTerms(CastNamespace.media, to: transportID, timeout: self.configuration.mediaStatusTimeout, name: "GET_STATUS"),
            payload: { id throws(CastError) in try MediaRequest(.getStatus([])).text(requestID: id) },
            completion: { result in self.assumeIsolated { $0.mediaStatusEnded(transportID, result) } })
    }

    private func mediaStatusEnded(_ transportID: String, _ result: Result<ReceivedPayload.Content?, CastError>) {
        self.mediaQuestions.remove(transportID)
        if case .failure = result, self.isConnected { self.perform(self.machine.mediaStatusUnanswered(by: transportID)) }
    }

    func askIdentity(_ question: IdentityCheck.Question) {
        let (namespace, name) =
            switch question {
            case .deviceInformation: (CastNamespace.discovery, "GET_DEVICE_INFO")
            case .eurekaInformation: (CastNamespace.setup, "eureka_info")
            }
        self.sendRequest(
            RequestTerms(namespace, timeout: self.configuration.identityTimeout, name: name),
            payload: { id throws(CastError) in
                switch question {
                case .deviceInformation: DeviceInformationMessage.getDeviceInformation(requestID: id)
                case .eurekaInformation: DeviceInformationMessage.eurekaInformation(requestID: id)
                }
            },
            completion: { result in self.assumeIsolated { $0.identityEnded(question, result) } })
    }

    private func identityEnded(_ question: IdentityCheck.Question, _ result: Result<ReceivedPayload.Content?, CastError>) {
        guard self.isConnected else { return }
        var information: DeviceInformation?
        if case .success(.deviceInformation(.information(let reported))) = result { information = reported }
        self.perform(self.machine.identityAnswered(information, to: question))
    }
}
