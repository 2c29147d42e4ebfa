internal import CMosquitto
import Glibc
import NetworkReach

/// One connection to the broker: a libmosquitto client object that is used once, so that no message of an earlier link can be sent over a
/// later one. One thread at a time calls it (see `ClientCore`), which keeps the object and its TLS state consistent.
///
/// The library runs no loop or thread of its own here, and no call blocks: its connect is given a numeric address and is non-blocking.
final class MosquittoHandle {
    /// A notice that the library's callbacks stored during a call. Process it after the call, because the library holds a lock during
    /// callbacks.
    enum Notice {
        case connack(code: Int32, Welcome)
        case subscribed(packetID: Int32, [MQTTReasonCode])
        case unsubscribed(packetID: Int32)
        case message(MQTTMessage)
        case messageTooLarge(topic: String, payloadBytes: Int)
    }

    /// The content of a CONNACK.
    struct Welcome {
        var limits = MQTTLimits()
        var serverKeepAliveSeconds: UInt16?
    }

    let raw: OpaquePointer
    let version: MQTTProtocolVersion
    let address: NumericAddress
    let maximumIncomingBytes: Int
    /// Outlives `raw`, which uses it.
    private let tls: TLSContext?
    private var notices: [Notice] = []
    /// The packets that the broker acknowledged, oldest first. Separate from `notices`, because each message has one.
    private(set) var acknowledgements: [(packetID: Int32, MQTTReasonCode)] = []
    /// The reason of a DISCONNECT of the broker.
    private(set) var serverReason: MQTTReasonCode?
    /// The library's messages about TLS problems; collected until CONNACK, at most four lines.
    private(set) var tlsErrors: [String] = []
    /// Whether the TLS handshake is complete; `true` without TLS.
    var handshakeFinished: Bool { self.tls?.isThrough ?? true }
    /// The `errno` of the library's last failed read or write.
    private(set) var lastError = SystemError(code: 0)
    /// Whether TLS is used and its handshake is complete.
    var isTLSThrough: Bool { self.tls != nil && self.handshakeFinished }

    /// Initialises the library once for the process. It is never undone, because the library's cleanup is not safe while another client
    /// exists.
    private static let isLibraryReady: Bool = {
        // Writing to a closed connection must return an error, not end the process.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue
    }()

    init(_ configuration: MQTTConfiguration, address: NumericAddress, version: MQTTProtocolVersion) throws(MQTTLinkError) {
        self.tls = if let tls = configuration.tls { try TLSContext(tls, host: configuration.host) } else { nil }
        guard Self.isLibraryReady, let raw = mosquitto_new(configuration.clientID, !(configuration.resumesSession && version == .v5), nil)
        else {
            throw MQTTLinkError(.invalidConfiguration, detail: "libmosquitto made no client: \(SystemError.last)")
        }
        self.raw = raw
        self.version = version
        self.address = address
        self.maximumIncomingBytes = configuration.maximumIncomingBytes
        // Everything is initialised, so the library may refer to this object. The pointer is unretained: `deinit` destroys the library's
        // object first, and callbacks run only within calls on this object.
        mosquitto_user_data_set(raw, Unmanaged.passUnretained(self).toOpaque())
        self.installCallbacks()
        try self.apply(configuration)
    }

    deinit {
        mosquitto_destroy(self.raw)
    }

    private func apply(_ configuration: MQTTConfiguration) throws(MQTTLinkError) {
        func check(_ result: Int32, _ what: String) throws(MQTTLinkError) {
            if result != MOSQ_ERR_SUCCESS.rawValue {
                throw MQTTLinkError(.invalidConfiguration, result: MosquittoResult(rawValue: result), detail: "the \(what) is not usable")
            }
        }
        try check(mosquitto_int_option(self.raw, MOSQ_OPT_PROTOCOL_VERSION, self.version.rawValue), "protocol version")
        try check(mosquitto_int_option(self.raw, MOSQ_OPT_TCP_NODELAY, 1), "TCP_NODELAY option")
        try check(mosquitto_username_pw_set(self.raw, configuration.username, configuration.password), "login")
        if let tls = self.tls {
            try check(mosquitto_int_option(self.raw, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0), "TLS context")
            try check(mosquitto_void_option(self.raw, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(tls.raw)), "TLS context")
        }
        if let will = configuration.will {
            // The library owns the list once it has taken the will.
            var list: OpaquePointer?
            do throws(MosquittoResult) {
                list = self.version == .v5 ? try PropertyList.make(will.properties, isWill: true) : nil
            } catch {
                throw MQTTLinkError(.invalidConfiguration, result: error, detail: "a property of the will is not usable")
            }
            let result = will.payload.withUnsafeBytes { payload in
                mosquitto_will_set_v5(
                    self.raw, will.topic, Int32(payload.count), payload.baseAddress, Int32(will.qos.rawValue), will.retain, list)
            }
            if result != MOSQ_ERR_SUCCESS.rawValue { mosquitto_property_free_all(&list) }
            try check(result, "will")
        }
    }

    /// Starts the TCP connection and queues CONNECT; does not block. Success only means that the connection was started; on the loopback
    /// interface TLS may already be complete.
    func connect(keepAliveSeconds: UInt16, sessionExpirySeconds: UInt32 = 0) -> MosquittoResult {
        if self.version == .v5 { self.setConnectProperties(sessionExpirySeconds: sessionExpirySeconds) }
        return self.noting(
            mosquitto_connect_bind_async(self.raw, self.address.host, Int32(self.address.port), Int32(keepAliveSeconds), nil))
    }

    /// Sets the properties of CONNECT. Only the blocking connect accepts them, and it keeps them for all later ones. With port 0 it tries a
    /// UNIX socket, which fails at once for a directory.
    private func setConnectProperties(sessionExpirySeconds: UInt32) {
        var list: OpaquePointer?
        if sessionExpirySeconds > 0 {
            mosquitto_property_add_int32(&list, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), sessionExpirySeconds)
        }
        mosquitto_property_add_int32(
            &list, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(clamping: max(self.maximumIncomingBytes, 1024)))
        mosquitto_connect_bind_v5(self.raw, "/", 0, 0, nil, list)
        mosquitto_property_free_all(&list)
    }

    // MARK: Input and output

    /// The library's socket, or -1 once it has closed it.
    var socket: Int32 { mosquitto_socket(self.raw) }

    private var ssl: OpaquePointer? { self.tls == nil ? nil : mosquitto_ssl_get(self.raw).map { OpaquePointer($0) } }

    /// Whether to poll for writability. The library's own answer is `true` during a whole TLS handshake, which would keep the loop
    /// spinning.
    var wantsWrite: Bool {
        guard let ssl = self.ssl else { return mosquitto_want_write(self.raw) }
        let sslWaits = SSL_want(ssl) == Int32(CMOSQUITTO_SSL_WRITING)
        return self.handshakeFinished ? sslWaits && mosquitto_want_write(self.raw) : sslWaits
    }

    /// Reads the received bytes, or advances the TLS handshake.
    func read() -> MosquittoResult {
        let wasFinished = self.handshakeFinished
        var result = self.noting(mosquitto_loop_read(self.raw, 1))
        // Polling does not announce bytes that OpenSSL has already decrypted. Inside the library, `errno` decides whether it reads on.
        while result == .success, wasFinished, let ssl = self.ssl, SSL_pending(ssl) > 0 {
            result = self.noting(mosquitto_loop_read(self.raw, 1))
        }
        // CONNECT waits for the handshake, and an incomplete write is no longer visible in SSL_want after a read.
        if result == .success, self.handshakeFinished, mosquitto_want_write(self.raw) { return self.write() }
        return result
    }

    /// Stores an error of the socket that was found outside the library.
    func fail(with error: SystemError) { self.lastError = error }

    func write() -> MosquittoResult { self.noting(mosquitto_loop_write(self.raw, 1)) }

    private func noting(_ result: Int32) -> MosquittoResult {
        if result != MOSQ_ERR_SUCCESS.rawValue { self.lastError = .last }
        return MosquittoResult(rawValue: result)
    }

    /// Runs the library's keep-alive; call it at least four times in that period.
    func keepAlive() -> MosquittoResult { MosquittoResult(rawValue: mosquitto_loop_misc(self.raw)) }

    /// Sends PINGREQ (MQTT 5 section 3.12) directly, because the library sends it only at the keep-alive.
    ///
    /// Safe between packets: the library has no partially written packet, and a writable socket has room for two bytes. The library accepts
    /// a PINGRESP at any time.
    /// - Returns: whether it was sent. It is not sent while output waits, because an answer to that output is a sign of life as well.
    func ping() -> Bool {
        guard self.handshakeFinished, !mosquitto_want_write(self.raw) else { return false }
        var descriptor = pollfd(fd: self.socket, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptor, 1, 0) == 1, descriptor.revents == Int16(POLLOUT) else { return false }
        let packet: [UInt8] = [0xC0, 0x00]
        if let ssl = self.ssl { return SSL_write(ssl, packet, 2) == 2 }
        return send(self.socket, packet, 2, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == 2
    }

    /// Queues DISCONNECT with reason 0 (the will is dropped) and writes as much as possible; the library then closes the socket.
    func disconnect() {
        mosquitto_disconnect_v5(self.raw, 0, nil)
    }

    /// Stops collecting errors after CONNACK, so that the library no longer formats its log lines.
    func stopCollectingErrors() { mosquitto_log_callback_set(self.raw, nil) }

    // MARK: Notices

    var hasNotices: Bool { !self.notices.isEmpty }

    /// - Parameter notices: empty; it is swapped with the filled array, so that neither is allocated again.
    func take(into notices: inout [Notice]) { swap(&notices, &self.notices) }

    func note(_ notice: Notice) { self.notices.append(notice) }

    func noteAcknowledgement(of packetID: Int32, _ code: Int32) {
        self.acknowledgements.append((packetID, MQTTReasonCode(rawValue: UInt8(truncatingIfNeeded: code))))
    }

    func forgetAcknowledgements() { self.acknowledgements.removeAll(keepingCapacity: true) }

    /// - Parameter code: a reason code of MQTT from 128 on, otherwise a result of the library.
    func noteDisconnect(code: Int32) { if code >= 128 { self.serverReason = MQTTReasonCode(rawValue: UInt8(clamping: code)) } }

    func note(tlsError: String) { if self.tlsErrors.count < 4 { self.tlsErrors.append(tlsError) } }

    /// The reason why the broker's certificate was rejected; `nil` if it was not.
    var verifyProblem: String? { self.tls?.verifyProblem }
}
