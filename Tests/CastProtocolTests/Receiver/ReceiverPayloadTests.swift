import CastModels
import Testing

@testable import CastProtocol

@Suite("Receiver namespace")
struct ReceiverPayloadTests {
    private static func status(_ json: String) throws -> ReceiverStatus {
        guard case .receiver(.status(let status)) = try received(CastNamespace.receiver, json).content else { throw NoStatus() }
        return status
    }

    @Test("a full RECEIVER_STATUS is read completely")
    func full() throws {
        let status = try Self.status(
            #"""
            {"type":"RECEIVER_STATUS","requestId":12,"status":{"applications":[{"appId":"CC1AD845","universalAppId":"CC1AD845U","appType":"WEB",
            "displayName":"Default Media Receiver","iconUrl":"https://x/i.png","statusText":"Casting: A film","isIdleScreen":false,
            "launchedFromCloud":true,"sessionId":"7a-1","transportId":"web-5","namespaces":[{"name":"urn:x-cast:com.google.cast.media"},
            {"name":"urn:x-cast:com.google.cast.cac"},{"nam":"x"},7],"senderApps":[]}],"isActiveInput":true,"isStandBy":false,"userEq":{},
            "volume":{"controlType":"master","level":0.3499999940395355,"muted":true,"stepInterval":0.04}}}
            """#)
        let application = ReceiverApplication(
            applicationID: "CC1AD845", universalApplicationID: "CC1AD845U", name: "Default Media Receiver", statusText: "Casting: A film",
            iconURL: "https://x/i.png", type: "WEB", isIdleScreen: false, launchedFromCloud: true, sessionID: "7a-1", transportID: "web-5",
            namespaces: ["urn:x-cast:com.google.cast.media", "urn:x-cast:com.google.cast.cac"])
        let volume = DeviceVolume(level: 0.3499999940395355, isMuted: true, controlType: .master, stepInterval: 0.04)
        #expect(status == ReceiverStatus(application: application, volume: volume, isActiveInput: true, isStandBy: false))
    }

    static let lenient: [(String, ReceiverStatus)] = [
        (#"{"status":{}}"#, ReceiverStatus()), (#"{}"#, ReceiverStatus()), (#"{"status":{"applications":[]}}"#, ReceiverStatus()),
        (#"{"status":{"applications":null,"volume":null,"isActiveInput":null}}"#, ReceiverStatus()),
        (#"{"status":[{"isStandBy":true}]}"#, ReceiverStatus(isStandBy: true)), (#"{"isStandBy":true}"#, ReceiverStatus(isStandBy: true)),
        (#"{"status":{"volume":{"level":1,"muted":false}}}"#, ReceiverStatus(volume: DeviceVolume(level: 1, isMuted: false))),
        (#"{"status":{"volume":{"level":1.5}}}"#, ReceiverStatus(volume: DeviceVolume(level: 1))),
        (#"{"status":{"volume":{"level":-3,"stepInterval":0}}}"#, ReceiverStatus(volume: DeviceVolume(level: 0))),
        (#"{"status":{"volume":{"level":1e200,"muted":1}}}"#, ReceiverStatus(volume: DeviceVolume())),
        (#"{"status":{"volume":{"level":"0.5","controlType":"fixed"}}}"#, ReceiverStatus(volume: DeviceVolume(controlType: .fixed))),
        (#"{"status":{"volume":{"controlType":"telepathy"}}}"#, ReceiverStatus(volume: DeviceVolume(controlType: .unknown("telepathy")))),
        (#"{"status":{"isActiveInput":"yes","isStandBy":0}}"#, ReceiverStatus()),
        (#"{"status":{"applications":[{"displayName":"no id"},7,{"appId":"A"}]}}"#, ReceiverStatus(application: .init(applicationID: "A"))),
        (
            #"{"status":{"applications":[{"appId":"A","statusText":"","iconUrl":"","namespaces":[]}]}}"#,
            ReceiverStatus(application: .init(applicationID: "A"))
        ),
        (
            #"{"status":{"applications":[{"appId":"E8C28D3C"}]}}"#,
            ReceiverStatus(application: .init(applicationID: "E8C28D3C", isIdleScreen: true))
        ),
        (
            #"{"status":{"applications":[{"appId":"B","isIdleScreen":true}]}}"#,
            ReceiverStatus(application: .init(applicationID: "B", isIdleScreen: true))
        ),
    ]

    @Test("missing and wrong values of receivers count as absent", arguments: Self.lenient)
    func leniency(json: String, status: ReceiverStatus) throws {
        #expect(try Self.status(#"{"type":"RECEIVER_STATUS",\#(json.dropFirst())"#.replacingTrailingComma()) == status)
    }

    static let otherAnswers: [(String, Int?, ReceiverMessage)] = [
        (
            #"{"type":"LAUNCH_STATUS","launchRequestId":7,"status":"USER_PENDING_AUTHORIZATION"}"#, 7,
            .launchStatus(.userPendingAuthorization)
        ),
        (#"{"type":"LAUNCH_STATUS","launchRequestId":7,"status":"USER_ALLOWED"}"#, 7, .launchStatus(.userAllowed)),
        (#"{"type":"LAUNCH_STATUS","launchRequestId":7,"status":"ASKING_THE_CAT"}"#, 7, .launchStatus(.init(rawValue: "ASKING_THE_CAT"))),
        (
            #"{"type":"LAUNCH_ERROR","requestId":7,"reason":"CANCELLED","extendedError":"USER_NOT_ALLOWED"}"#, 7,
            .launchError(RequestFailure(type: "LAUNCH_ERROR", reason: "CANCELLED", extendedError: "USER_NOT_ALLOWED"))
        ),
        (
            #"{"type":"INVALID_REQUEST","requestId":8,"reason":"INVALID_COMMAND"}"#, 8,
            .invalidRequest(RequestFailure(type: "INVALID_REQUEST", reason: "INVALID_COMMAND"))
        ),
        (
            #"{"responseType":"GET_APP_AVAILABILITY","requestId":10,"availability":{"CC1AD845":"APP_AVAILABLE","0F5096E8":"APP_UNAVAILABLE","X":3}}"#,
            10, .appAvailability(["CC1AD845": "APP_AVAILABLE", "0F5096E8": "APP_UNAVAILABLE"])
        ),
        (#"{"responseType":"GET_APP_AVAILABILITY","requestId":10}"#, 10, .appAvailability([:])),
    ]

    @Test("the other payloads are read", arguments: Self.otherAnswers)
    func others(json: String, requestID: Int?, message: ReceiverMessage) throws {
        #expect(try received(CastNamespace.receiver, json) == ReceivedPayload(requestID: requestID, content: .receiver(message)))
    }

    static let requests: [(ReceiverRequest, String)] = [
        (.getStatus, #"{"type":"GET_STATUS","requestId":5}"#),
        (
            .launch(.init(applicationID: "CC1AD845", options: LaunchOptions(languageCode: "de-DE", appParams: ["a": 1]))),
            #"{"type":"LAUNCH","requestId":5,"appId":"CC1AD845","language":"de-DE","supportedAppTypes":["WEB","ANDROID_TV"],"appParams":{"a":1}}"#
        ),
        (
            .launch(.init(applicationID: "X", options: LaunchOptions(languageCode: nil, androidReceiverCompatible: false))),
            #"{"type":"LAUNCH","requestId":5,"appId":"X","supportedAppTypes":["WEB"]}"#
        ),
        (.stop(sessionID: "s-1"), #"{"type":"STOP","requestId":5,"sessionId":"s-1"}"#),
        (.stop(sessionID: nil), #"{"type":"STOP","requestId":5}"#),
        (.setVolume(level: 0.35), #"{"type":"SET_VOLUME","requestId":5,"volume":{"level":0.35}}"#),
        (.setVolume(level: 1), #"{"type":"SET_VOLUME","requestId":5,"volume":{"level":1}}"#),
        (.setMuted(true), #"{"type":"SET_VOLUME","requestId":5,"volume":{"muted":true}}"#),
        (
            .getAppAvailability(applicationIDs: ["CC1AD845", "0F5096E8"]),
            #"{"type":"GET_APP_AVAILABILITY","requestId":5,"appId":["CC1AD845","0F5096E8"]}"#
        ),
    ]

    @Test("requests are written strictly", arguments: Self.requests)
    func writes(request: ReceiverRequest, json: String) throws { #expect(try request.text(requestID: 5) == json) }

    @Test("a level that is no volume is refused", arguments: [-0.01, 1.01, .nan, .infinity, -.infinity])
    func badLevel(level: Double) {
        let error = #expect(throws: CastError.self) { try ReceiverRequest.setVolume(level: level).text(requestID: 1) }
        #expect(error?.code == .invalidRequest)
    }
}

extension String {
    /// Makes `{"type":"X",}` legal again.
    fileprivate func replacingTrailingComma() -> String { self.hasSuffix(",}") ? String(self.dropLast(2)) + "}" : self }
}
