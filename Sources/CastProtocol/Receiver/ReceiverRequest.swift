import CastModels

/// A request to the platform, `receiver-0`.
package enum ReceiverRequest: Sendable, Hashable {
    case getStatus
    case launch(LaunchRequest)
    /// Stops the application session `sessionID`; `nil` stops any running application.
    case stop(sessionID: String?)
    /// Sets the device's volume, 0 to 1.
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
            self.init(
                applicationID: applicationID, language: options.languageCode,
                androidReceiverCompatible: options.androidReceiverCompatible, appParams: parameters)
        }

        package init(applicationID: String, language: String? = nil, androidReceiverCompatible: Bool = true, appParams: JSONObject? = nil) {
            self.applicationID = applicationID
            self.language = language
            self.androidReceiverCompatible = androidReceiverCompatible
            self.appParams = appParams
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
        switch self {
        case .getStatus: return PayloadText.make(type: self.type, requestID: requestID)
        case .launch(let launch): return PayloadText.make(type: self.type, requestID: requestID) { launch.write(to: &$0) }
        case .stop(let sessionID): return PayloadText.make(type: self.type, requestID: requestID) { $0.optional("sessionId", sessionID) }
        case .setVolume(let level):
            guard (0...1).contains(level) else { throw CastError(.invalidRequest, detail: "a volume of \(level) is not within 0 to 1") }
            return PayloadText.make(type: self.type, requestID: requestID) { DeviceVolume(level: level).writeChange(to: &$0) }
        case .setMuted(let isMuted):
            return PayloadText.make(type: self.type, requestID: requestID) { DeviceVolume(isMuted: isMuted).writeChange(to: &$0) }
        case .getAppAvailability(let ids):
            return PayloadText.make(type: self.type, requestID: requestID) { $0.member("appId", ids) }
        }
    }
}

extension ReceiverRequest.LaunchRequest {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("appId", self.applicationID)
        writer.optional("language", self.language)
        writer.member("supportedAppTypes", self.androidReceiverCompatible ? ["WEB", "ANDROID_TV"] : ["WEB"])
        writer.optional("appParams", self.appParams.map(JSONValue.object))
    }
}
