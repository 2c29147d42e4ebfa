import CastModels
import CastProtocol

/// Sends and receives messages of one namespace, to and from the running application or the device itself (SDK: `GCKCastChannel`).
///
/// `CastSession.openChannel` creates a channel; it ends with its session or by `close`, and is disconnected while the session is suspended.
/// Several channels of one namespace each receive every message. `SessionManager.registerChannel` keeps a namespace open across sessions.
public final class CastChannel: Sendable {
    /// The peer of a channel.
    public enum Target: Sendable, Hashable {
        /// The running application, while it lists the namespace as supported.
        case application
        /// The platform, `receiver-0`.
        case device
    }

    /// An event of a channel, in order.
    public enum Event: Sendable, Hashable {
        /// Messages can be sent.
        case connected
        /// The application ended or no longer supports the namespace, or the link broke.
        case disconnected
        case text(String)
        case binary([UInt8])
    }

    public let namespace: String
    public let target: Target
    let id: UInt64
    private let session: CastSession
    private let source = EventSource<Event>()
    private let connection: StateSource<Bool>
    private let registration: Registration?

    /// The registration for which the channel was opened.
    struct Registration: Sendable {
        let channel: RegisteredChannel
        let device: Device.ID
    }

    init(
        namespace: String, target: Target, id: UInt64, session: CastSession, isConnected: Bool, registration: Registration? = nil
    ) {
        self.registration = registration
        self.namespace = namespace
        self.target = target
        self.id = id
        self.session = session
        self.connection = StateSource(isConnected)
    }

    /// Messages and connection changes from now on; the last 64 are kept for a slow reader. Ends with the channel.
    public var events: EventSequence<Event> { self.source.sequence }

    /// Whether messages can be sent. Ends with the channel.
    public var isConnected: StateSequence<Bool> { self.connection.sequence }

    /// Sends text, usually JSON. Returns when it is written to the link.
    ///
    /// - Throws: `channelNotConnected` when no peer can receive it, `messageTooBig` when the frame is above 64 KiB, `networkError`,
    ///   `sessionSuspended` between two links, `deviceNotConnected` after the session's end.
    nonisolated(nonsending) public func send(_ text: String) async throws(CastError) { try await self.session.send(.text(text), on: self) }

    /// Sends bytes; otherwise like `send(_:)` for text.
    nonisolated(nonsending) public func send(_ bytes: [UInt8]) async throws(CastError) {
        try await self.session.send(.binary(bytes), on: self)
    }

    /// Closes the channel. A second call does nothing.
    nonisolated(nonsending) public func close() async { await self.session.closeChannel(self) }

    var isRegistered: Bool { self.registration != nil }

    func receive(_ payload: CastMessage.Payload) {
        switch payload {
        case .text(let text): self.notify(.text(text))
        case .binary(let bytes): self.notify(.binary(bytes))
        }
    }

    func connectionChanged(_ isConnected: Bool) {
        self.connection.set(isConnected)
        self.notify(isConnected ? .connected : .disconnected)
    }

    func finish() {
        self.source.finish()
        self.connection.finish()
        if let registration { registration.channel.ended(self, on: registration.device) }
    }

    private func notify(_ event: Event) {
        self.source.send(event)
        if let registration { registration.channel.notify(event, of: self, on: registration.device) }
    }
}
