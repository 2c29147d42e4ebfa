import BridgeCore
import CastModels
import Testing

@Suite("An answer")
struct CommandAnswerTests {
    private let writer = AnswerWriter(topics: topics)

    private func envelope(_ target: CommandTarget, responseTopic: String? = nil, qos: UInt8 = 1) -> CommandEnvelope {
        CommandEnvelope(
            target: target, name: "load", topic: "cast2mqtt/tv/cmd", id: .text("nr-81f2"), responseTopic: responseTopic,
            correlationData: [1, 0, 254], answerQoS: qos, received: parserNow)
    }

    private func text(_ message: OutgoingMessage) -> String {
        String(decoding: message.payload(at: parserNow.wall), as: UTF8.self)
    }

    @Test("has the documented form")
    func form() {
        let answer = CommandAnswer(
            envelope: self.envelope(.device("4f1c")), result: .done(["media_session": 8]), elapsed: .milliseconds(412))
        let messages = self.writer.messages(for: answer, slug: "living-room")
        #expect(messages.answer.topic == "cast2mqtt/living-room/response")
        #expect(
            self.text(messages.answer)
                == #"{"schema":1,"ts":"2026-11-21T14:00:00.000Z","id":"nr-81f2","device":"living-room","cmd":"load","status":"ok","code":"done","message":null,"elapsed_ms":412,"data":{"media_session":8},"hint":null}"#
        )
        #expect(messages.answer.qos == 1)
        #expect(!messages.answer.retain)
        #expect(messages.answer.expirySeconds == 60)
        #expect(messages.answer.correlationData == [1, 0, 254])
        #expect(messages.error == nil)
        #expect(messages.errorCode == .clear)
    }

    @Test("that is an error is published on the device's error topic too, with a hint")
    func error() throws {
        let answer = CommandAnswer(
            to: self.envelope(.device("tv"), qos: 0), CommandResult(.noSession, message: "Nothing is loaded."), now: parserNow.monotonic)
        let messages = self.writer.messages(for: answer, slug: "tv")
        let error = try #require(messages.error)
        #expect(error.topic == "cast2mqtt/tv/error")
        #expect((error.qos, error.expirySeconds, error.retain) == (1, 300, false))
        #expect(
            self.text(error)
                == #"{"schema":1,"ts":"2026-11-21T14:00:00.000Z","id":"nr-81f2","device":"tv","cmd":"load","status":"error","code":"no_session","message":"Nothing is loaded.","data":{},"topic":"cast2mqtt/tv/cmd","hint":"Load media or launch an app first.","incident":null}"#
        )
        #expect(messages.errorCode == .set("no_session"))
        #expect(messages.answer.qos == 0)
    }

    @Test("to an explicit response topic raises no error message")
    func explicit() {
        let answer = CommandAnswer(
            to: self.envelope(.device("tv"), responseTopic: "cast2mqtt/client/me"), CommandResult(.timeout), now: parserNow.monotonic)
        let messages = self.writer.messages(for: answer, slug: "tv")
        #expect(messages.answer.topic == "cast2mqtt/client/me")
        #expect(messages.error == nil)
        #expect(messages.errorCode == .keep)
    }

    @Test("about an unknown device goes to the bridge's topic, never to one made from the sender's text")
    func unknownDevice() {
        let answer = CommandAnswer(to: self.envelope(.device("no/such#+")), CommandResult(.unknownDevice), now: parserNow.monotonic)
        let messages = self.writer.messages(for: answer, slug: nil)
        #expect(messages.answer.topic == "cast2mqtt/bridge/response/command")
        #expect(self.text(messages.answer).contains(#""device":null"#))
        #expect(messages.error == nil)
    }

    @Test("of the bridge goes to its verb's topic")
    func bridge() {
        let answer = CommandAnswer(to: self.envelope(.bridge(.logLevel)), .done(), now: parserNow.monotonic)
        #expect(self.writer.messages(for: answer, slug: nil).answer.topic == "cast2mqtt/bridge/response/log_level")
    }

    @Test("that is too large has a short one in its place")
    func tooLarge() {
        let answer = CommandAnswer(
            to: self.envelope(.bridge(.snapshot)), .done(["all": .string(String(repeating: "x", count: 5000))]), now: parserNow.monotonic)
        let messages = self.writer.messages(for: answer, slug: nil)
        #expect(self.text(messages.tooLarge).contains(#""status":"error","code":"too_large""#))
        #expect(messages.tooLarge.payload.count < 400)
        #expect(messages.tooLarge.correlationData == [1, 0, 254])
        let done = CommandAnswer(to: self.envelope(.device("tv")), .done(), now: parserNow.monotonic)
        let short = self.writer.messages(for: done, slug: "tv")
        #expect(short.tooLarge == short.answer, "nothing shorter could be said")
    }

    @Test("for a fault of ours carries the incident")
    func incident() {
        let answer = CommandAnswer(to: self.envelope(.device("tv")), .internal(incident: "i-77"), now: parserNow.monotonic)
        let messages = self.writer.messages(for: answer, slug: "tv")
        #expect(self.text(messages.answer).contains(#""data":{"incident":"i-77"}"#))
        #expect(messages.error.map(self.text)?.contains(#""incident":"i-77""#) == true)
    }

    @Test(
        "to a failed request has the code that belongs to it",
        arguments: [
            (CastError.Code.deviceNotConnected, AnswerCode.deviceOffline), (.channelNotConnected, .noSession),
            (.networkError, .castError),
            (.timeout, .timeout), (.replaced, .superseded), (.cancelled, .castError), (.notAllowed, .notSupported),
            (.invalidState, .notSupported),
            (.invalidMediaPlayerState, .notSupported), (.unsupportedFeature, .notSupported), (.messageTooBig, .tooLarge),
            (.sendBufferFull, .rateLimited),
            (.applicationNotRunning, .noSession), (.noMediaSession, .noSession), (.invalidApplicationSessionID, .noSession),
            (.mediaLoadFailed, .loadFailed), (.applicationNotFound, .notSupported), (.launchRequestCancelled, .castError),
            (.invalidRequest, .castError),
            (.protocolError, .castError), (.mediaError, .castError), (.unknown, .castError), (.deviceIdentityMismatch, .deviceOffline),
            (CastError.Code(rawValue: 12_345), .castError), (.deviceAuthenticationFailure, .deviceOffline),
            (.authenticationErrorReceived, .deviceOffline), (.malformedClientCertificate, .deviceOffline),
            (.notX509Certificate, .deviceOffline), (.deviceCertificateNotTrusted, .deviceOffline),
            (.sslCertificateNotTrusted, .deviceOffline), (.malformedAuthenticationResponse, .deviceOffline),
            (.deviceCapabilityNotSupported, .deviceOffline), (.crlInvalid, .deviceOffline), (.crlCheckFailed, .deviceOffline),
            (.authenticationMessageUnreadable, .deviceOffline), (.authenticationChallengeFailure, .deviceOffline),
            (.authenticationTimeout, .deviceOffline), (.networkNotReachable, .deviceOffline), (.socketInvalidAddress, .deviceOffline),
            (.duplicateRequest, .notSupported), (.deviceAuthorizationFailure, .notSupported), (.maxUsersConnected, .rateLimited),
            (.sessionIsNotActive, .noSession), (.notCastSession, .noSession), (.protocolVersionMismatch, .castError),
            (.secureTransportError, .castError), (.invalidResponse, .castError), (.failedSessionUpdate, .castError),
            (.alreadyInitialized, .castError), (.socketAlreadyConnected, .castError), (.socketInvalidParameter, .castError),
            (.appDidEnterBackground, .castError), (.disconnected, .castError), (.requestIgnored, .notSupported), (.notApplied, .notApplied),
        ] as [(CastError.Code, AnswerCode)])
    func castErrors(code: CastError.Code, answer: AnswerCode) {
        let result = CommandResult(CastError(code, detail: "why"))
        #expect(result.code == answer)
        #expect(result.isError == (answer != .superseded))
        #expect(result.message?.isEmpty == false)
        #expect(!result.isError || !result.hint.isEmpty)
        if answer == .castError { #expect(result.data["cast_reason"]?.stringValue?.isEmpty == false) }
    }

    @Test("to an argument that does not fit the device's state names it, and lists what there is")
    func argument() {
        let result = CommandResult(CastError.invalidArgument("text_track", "no such track; the media has 1 (English)"))
        #expect(result.code == .badPayload)
        #expect(result.message == "text_track: no such track; the media has 1 (English).")
        #expect(result.data.isEmpty)
        let refused = CommandResult(CastError(.invalidRequest, reason: "INVALID_PARAMS"))
        #expect(refused.code == .castError, "what the receiver calls invalid was sent")
        #expect(refused.data["cast_reason"] == "INVALID_PARAMS")
    }

    @Test("with the code accepted ends nothing and clears no error")
    func accepted() throws {
        let answer = CommandAnswer(to: self.envelope(.device("tv")), CommandResult(.accepted), now: parserNow.monotonic)
        let messages = self.writer.messages(for: answer, slug: "tv")
        #expect(self.text(messages.answer).contains(#""status":"ok","code":"accepted""#))
        #expect(messages.errorCode == .keep)
        var commandQueue = DeviceCommandQueueFixture()
        let number = commandQueue.send(.transfer(to: "kitchen"), id: .text("t"))
        let repeated = commandQueue.send(.transfer(to: "kitchen"), id: .text("t"))
        #expect(commandQueue.codes(number) == [.accepted])
        #expect(commandQueue.started.count == 1)
        commandQueue.finishLast()
        #expect(commandQueue.codes(number) == [.accepted, .done])
        #expect(commandQueue.codes(repeated) == [.duplicate])
    }

    @Test("to a failed load contains the receiver's reason and explains its number")
    func loadFailed() {
        let result = CommandResult(CastError(.mediaLoadFailed, reason: "GENERIC_LOAD_ERROR", detailedErrorCode: 311_404))
        #expect(
            result.data == [
                "cast_reason": "GENERIC_LOAD_ERROR", "detailed_error_code": 311_404, "detailed_error": "HLS_NETWORK_MASTER_PLAYLIST",
            ])
        #expect(DetailedErrorCode(rawValue: 104).name == "MEDIA_SRC_NOT_SUPPORTED")
        #expect(DetailedErrorCode(rawValue: 7).name == nil)
    }

    @Test("with an error code always has a remedy", arguments: AnswerCode.allCases)
    func hints(code: AnswerCode) { #expect(code.hint.isEmpty == [.done, .accepted, .superseded].contains(code)) }
}
