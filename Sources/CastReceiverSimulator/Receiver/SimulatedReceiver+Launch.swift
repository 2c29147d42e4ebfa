/// Launches applications, with the different ways in which receivers answer.
extension SimulatedReceiver {
    /// The delay of the answers of slow receivers after the broadcast.
    private static let lateness = Duration.seconds(3)

    mutating func launch(_ id: String, from asker: Asker, at now: Duration) {
        guard !self.isSabotaged(.launchUnanswered) else { return }
        guard var definition = self.definition(of: id) else { return self.answer(asker, ["type": "LAUNCH_ERROR", "reason": "NOT_FOUND"]) }
        if self.has(.acknowledgedOnly) {
            self.sendLaunchStatus(nil, to: asker)
            return self.answerLaunch(asker, at: now)
        }
        if self.has(.otherApplication) { definition = self.definition(of: ReceiverApp.defaultMediaReceiver.id) ?? definition }
        if var launch = self.launch, launch.definition.id == id, launch.askers.count < PendingLaunch.maximumAskers {
            self.sendLaunchStatus(launch.waitsForUser ? "USER_PENDING_AUTHORIZATION" : nil, to: asker)
            launch.askers.append(asker)
            self.launch = launch
        } else if self.launch == nil, self.application?.definition.id == id {
            if self.isSabotaged(.deadApplication) { self.settings.sabotages.remove(.deadApplication) }
            self.screen = Screen()
            self.sendLaunchStatus(nil, to: asker)
            self.answerLaunch(asker, at: now)
            if self.has(.launchStatusOnly) { self.broadcastReceiverStatus() }
        } else {
            self.cancelLaunch()
            self.sendLaunchStatus(self.settings.asksPermission ? "USER_PENDING_AUTHORIZATION" : nil, to: asker)
            let time = self.settings.asksPermission ? self.settings.permissionTimeout : self.random.duration(in: self.settings.launchTime)
            self.launch = PendingLaunch(
                definition: definition, askers: [asker], due: now + time, waitsForUser: self.settings.asksPermission)
        }
    }

    /// - Parameter status: the status to send in any case; `nil` means USER_ALLOWED if the receiver announces launches.
    private mutating func sendLaunchStatus(_ status: String?, to asker: Asker) {
        let announces =
            self.description.model.announcesLaunch || self.has(.launchStatusOnly) || self.has(.launchAnswersDoubled)
        guard status != nil || (announces && !self.has(.launchAnswersLate)) else { return }
        let message = Self.launchStatus(status ?? "USER_ALLOWED", for: asker)
        for _ in 0..<(self.has(.launchAnswersDoubled) ? 2 : 1) {
            self.send(message, from: asker.endpoint, to: asker.source, namespace: Namespace.receiver, on: asker.socket)
        }
    }

    /// Answers that the application is running.
    private mutating func answerLaunch(_ asker: Asker, at now: Duration) {
        if self.has(.launchStatusOnly) { return }
        if self.has(.launchAnswersLate) {
            guard self.delayed.count < PendingLaunch.maximumAskers else { return }
            self.delayed.append(DelayedAnswer(due: now + Self.lateness, asker: asker, json: self.receiverStatus))
            return
        }
        for _ in 0..<(self.has(.launchAnswersDoubled) ? 2 : 1) { self.answer(asker, self.receiverStatus) }
    }

    /// Returns `LAUNCH_STATUS`, which names the request in `launchRequestId`.
    private static func launchStatus(_ status: String, for asker: Asker) -> JSON {
        ["type": "LAUNCH_STATUS", "launchRequestId": .integer(asker.requestID), "status": .string(status)]
    }

    /// Sends the answers to a launch that come after the broadcast.
    mutating func answerLate(_ late: DelayedAnswer) {
        guard self.sockets.contains(where: { $0.id == late.asker.socket }) else { return }
        self.send(
            Self.launchStatus("USER_ALLOWED", for: late.asker), from: late.asker.endpoint, to: late.asker.source,
            namespace: Namespace.receiver, on: late.asker.socket)
        self.answer(late.asker, late.json)
    }

    mutating func cancelLaunch(extendedError: String? = nil) {
        guard let launch else { return }
        self.launch = nil
        if launch.isVisible { self.application?.showsNamespaces = true }
        for asker in launch.askers {
            self.answer(asker, .members(["type": "LAUNCH_ERROR", "reason": "CANCELLED", "extendedError": extendedError.map(JSON.string)]))
        }
    }

    mutating func continueLaunch(_ launch: PendingLaunch, at now: Duration) {
        // The user did not answer the question on the screen.
        if launch.waitsForUser { return self.cancelLaunch() }
        if !launch.isVisible {
            self.start(launch.definition, at: now)
            if self.description.model.launchesInSteps {
                self.application?.showsNamespaces = false
                self.launch?.isVisible = true
                self.launch?.due = now + self.random.duration(in: self.settings.launchTime)
                self.broadcastReceiverStatus()
                return
            }
        }
        self.launch = nil
        self.application?.showsNamespaces = true
        for asker in launch.askers { self.answerLaunch(asker, at: now) }
        self.broadcastReceiverStatus()
    }

    /// Handles the user's answer to the question whether an application may start.
    mutating func answerPermission(isAllowed: Bool, at now: Duration) throws(SimulatorError) {
        guard var launch = self.launch, launch.waitsForUser else { throw SimulatorError(.wrongState, "no question is on the screen") }
        guard isAllowed else { return self.cancelLaunch(extendedError: "USER_NOT_ALLOWED") }
        launch.waitsForUser = false
        launch.due = now + self.random.duration(in: self.settings.launchTime)
        self.launch = launch
        for asker in launch.askers { self.sendLaunchStatus("USER_ALLOWED", to: asker) }
    }
}

/// An answer to a launch that is sent later than the broadcast.
struct DelayedAnswer: Sendable {
    var due: Duration
    var asker: Asker
    var json: JSON
}
