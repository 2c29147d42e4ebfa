import CastModels
import LogKeys

/// The registered channels of one manager; belongs to its event loop.
final class RegisteredChannelTable {
    /// The largest number of registered channels. A session has room for 64, including those opened for it alone.
    static let limit = 32

    private var channels: [UInt64: RegisteredChannel] = [:]
    private var count: UInt64 = 0

    /// All channels, oldest first.
    var all: [RegisteredChannel] { self.channels.values.sorted { $0.id < $1.id } }

    func add(_ make: (UInt64) -> RegisteredChannel) throws(CastError) -> RegisteredChannel {
        guard self.channels.count < Self.limit else { throw CastError(.sendBufferFull, detail: "\(Self.limit) channels are registered") }
        self.count += 1
        let channel = make(self.count)
        self.channels[channel.id] = channel
        return channel
    }

    func remove(_ channel: RegisteredChannel) { self.channels[channel.id] = nil }

    func end() {
        for channel in self.channels.values { channel.finish() }
        self.channels = [:]
    }
}

/// Manages channels that connect with every session.
extension SessionManager {
    /// Registers a custom channel, before or after sessions have started: it connects with each session, until it is
    /// unregistered.
    ///
    /// - Parameters:
    ///   - namespace: as for `CastSession.openChannel`.
    ///   - target: the application, or the device itself.
    /// - Throws: `invalidRequest` or `notAllowed` for the namespace, `sendBufferFull` when 32 channels are registered, `invalidState` after
    ///   the context's end.
    public func registerChannel(
        _ namespace: String, to target: CastChannel.Target = .application
    ) throws(CastError) -> RegisteredChannel {
        try ChannelNamespace.validate(namespace)
        guard !self.isOver else { throw CastError(.invalidState, detail: "the context has ended") }
        let channel = try self.registeredChannels.add { id in
            RegisteredChannel(namespace: namespace, target: target, id: id, manager: self)
        }
        for entry in self.startedSessions { self.open([channel], in: entry) }
        return channel
    }

    func unregister(_ channel: RegisteredChannel) { self.registeredChannels.remove(channel) }

    /// Opens registered channels in a session that has started or resumed, where they are not open yet.
    func open(_ channels: [RegisteredChannel], in entry: ManagedSession) {
        guard let session = entry.session else { return }
        let device = entry.device.id
        session.assumeIsolated { session in
            for channel in channels where !channel.isOpen(on: device) {
                let registration = CastChannel.Registration(channel: channel, device: device)
                do throws(CastError) {
                    try session.openChannel(channel.namespace, to: channel.target, registration: registration)
                } catch {
                    // The link has just broken, or the session's own channels leave no room.
                    self.logger.debug(
                        "registered channel not opened",
                        metadata: [.castDevice: "\(device)", .castNamespace: "\(channel.namespace)", .error: "\(error)"])
                }
            }
        }
    }
}
