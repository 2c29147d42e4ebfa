import CastModels
import CastProtocol
import NIOCore

/// The requests that a session sends by itself, and their answers.
extension CastSession {
    func askReceiverStatus() {
        self.send(CastRequest(.getStatus, timeout: self.configuration.statusTimeout)) { result in
            if case .failure(let error) = result { self.assumeIsolated { $0.receiverStatusFailed(error) } }
        }
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
        guard self.mediaObservation.asks(transportID) else { return }
        // Without a type that silence teaches: an application that is still starting may answer later.
        let request = CastRequest(
            CastNamespace.media, to: transportID, timeout: self.configuration.mediaStatusTimeout, name: "GET_STATUS"
        ) { id throws(CastError) in try MediaRequest(.getStatus([])).text(requestID: id) }
        self.send(request) { result in
            self.assumeIsolated {
                $0.mediaObservation.questionEnded(transportID)
                guard case .failure = result, $0.isLinked else { return }
                $0.input { machine, _ in machine.mediaStatusUnanswered(by: transportID) }
            }
        }
    }

    func askIdentity(_ question: IdentityCheck.Question) {
        let timeout = self.configuration.identityTimeout
        let request =
            switch question {
            case .deviceInformation:
                CastRequest(CastNamespace.discovery, timeout: timeout, name: "GET_DEVICE_INFO") {
                    DeviceInformationMessage.getDeviceInformation(requestID: $0)
                }
            case .eurekaInformation:
                CastRequest(CastNamespace.setup, timeout: timeout, name: "eureka_info") {
                    DeviceInformationMessage.eurekaInformation(requestID: $0)
                }
            }
        self.send(request) { result in
            var information: DeviceInformation?
            if case .success(let answer) = result, case .deviceInformation(.information(let reported)) = answer?.content {
                information = reported
            }
            self.assumeIsolated {
                if $0.isLinked { $0.input { machine, _ in machine.identityAnswered(information, to: question) } }
            }
        }
    }
}
