extension SimulatedReceiver {
    /// The id that the device reports; a sabotage makes it differ from the announced one.
    var reportedID: String { self.isSabotaged(.otherIdentity) ? String(self.description.id.reversed()) : self.description.id }

    mutating func discoveryRequest(_ message: SocketMessage, from asker: Asker) {
        guard message.type == "GET_DEVICE_INFO" else { return }
        self.answer(
            asker,
            [
                "type": .string(self.description.model.deviceInformationType), "deviceId": .string(self.reportedID),
                "friendlyName": .string(self.description.friendlyName), "deviceModel": .string(self.description.model.name),
                "deviceCapabilities": .integer(self.description.capabilities), "controlNotifications": 1,
            ])
    }

    mutating func setupRequest(_ message: SocketMessage, on socket: SocketID, at now: Duration) {
        guard message.type == "eureka_info", let id = message.json?["request_id"]?.int else { return }
        let parameters = message.json?["data"]?["params"]?.elements?.compactMap(\.text)
        self.reply(
            [
                "type": "eureka_info", "request_id": .integer(id), "response_code": 200, "response_string": "OK",
                "data": self.eurekaInformation(parameters: parameters ?? EurekaInformation.groupNames, at: now),
            ], to: message, on: socket)
    }

    /// Returns the document of `eureka_info`, for HTTP and the setup namespace.
    ///
    /// - Parameters:
    ///   - parameters: names of groups of fields, with sub-filters after a dot; `nil` gives the flat document of old firmware.
    ///   - now: the current time, on the clock of all calls.
    public func eurekaInformation(parameters: [String]?, at now: Duration) -> JSON {
        var reported = self.description
        reported.id = self.reportedID
        return EurekaInformation(description: reported, groups: self.groups, uptime: now).document(parameters: parameters)
    }
}
