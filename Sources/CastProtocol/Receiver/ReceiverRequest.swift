import CastModels

/// A request to the platform, `receiver-0`.
package enum ReceiverRequest: Sendable, Hashable {
    case getStatus
    case launch(LaunchRequest)
    /// Stops the application session `sessionID`; `nil` stops any running application.
    case stop(sessionID: String?)
    case setVolume(level: Double)
    case setMuted(Bool)
    case getAppAvailability(applicationIDs: [String])

    /// The content of LAUNCH.
    package struct LaunchRequest: Sendable, Hashable {
        package var applicationID: String
        /// The language (BCP 47).
        package var language: String?
        /// Whether an Android TV application may handle the id.
        package var androidReceiverCompatible: Bool
        /// Parameters that only the application interprets.
        package var appParams: JSONObject?

        /// Creates the request from `options`; credentials are placed where Google's receivers expect them.
        package init(applicationID: String, options: LaunchOptions) {
            var parameters = options.appParams
            if let credentials = options.credentials {
                var data: JSONObject = ["credentials": .string(credentials)]
                if let type = options.credentialsType { data["credentialsType"] = .string(type) }
                var checker = parameters?["launchCheckerParams"]?.objectValue ?? [:]
                checker["credentialsData"] = .object(data)
                parameters = parameters ?? [:]
                parameters?["launchCheckerParams"] = .object(checker)
            }
            self.applicationID = applicationID
            self.language = options.languageCode
            self.androidReceiverCompatible = options.androidReceiverCompatible
            self.appParams = parameters
        }

        fileprivate func write(to writer: inout JSONWriter) {
            writer.member("appId", self.applicationID)
            writer.optional("language", self.language)
            writer.member("supportedAppTypes", self.androidReceiverCompatible ? ["WEB", "ANDROID_TV"] : ["WEB"])
            writer.optional("appParams", self.appParams.map(JSONValue.object))
        }
    }

    /// The type on the wire.
    package var type: String {
        switch self {
        case .getStatus: "GET_STATUS"
        case .launch: "LAUNCH"
        case .stop: "STOP"
        case .setVolume, .setMuted: "SET_VOLUME"
        case .getAppAvailability: "GET_APP_AVAILABILITY"
        }
    }

    /// Returns the payload as sent. It never contains both level and mute, because receivers accept only one of them at a time.
    ///
    /// - Throws: `invalidRequest` for a level outside 0 to 1.
    package func text(requestID: Int) throws(CastError) -> String {
        if case .setVolume(let level) = self, !(0...1).contains(level) {
            throw CastError(.invalidRequest, detail: "a volume of \(level) is not within 0 to 1")
        }
        return PayloadText.make(type: self.type, requestID: requestID) { writer in
            switch self {
            case .getStatus: break
            case .launch(let launch): launch.write(to: &writer)
            case .stop(let sessionID): writer.optional("sessionId", sessionID)
            case .setVolume(let level): DeviceVolume(level: level).writeChange(to: &writer)
            case .setMuted(let isMuted): DeviceVolume(isMuted: isMuted).writeChange(to: &writer)
            case .getAppAvailability(let ids): writer.member("appId", ids)
            }
        }
    }
}
