import CastModels
import LogKeys

/// Manages channels that connect with every session.
extension SessionManager {
    /// The largest number of registered channels. A session has room for 64, including those opened for it alone.
    static let registeredChannelLimit = 32

    /// Registers a custom channel, before or after sessions have started: it connects with each session, over each of its links, until it
    /// is unregistered.
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
        guard self.registeredChannels.count < Self.registeredChannelLimit else {
            throw CastError(.sendBufferFull, detail: "\(Self.registeredChannelLimit) channels are registered")
        }
        self.registeredChannelCount += 1
        let channel = RegisteredChannel(namespace: namespace, target: target, id: self.registeredChannelCount, manager: self)
        self.registeredChannels[channel.id] = channel
        for entry in self.startedSessions { self.open([channel], in: entry) }
        return channel
    }

    func unregister(_ channel: RegisteredChannel) { self.registeredChannels[channel.id] = nil }

    /// Opens every registered channel over the current link of a session that has started or resumed.
    func openRegisteredChannels(in entry: ManagedSession) {
        guard !self.registeredChannels.isEmpty else { return }
        self.open(self.registeredChannels.values.sorted { $0.id < $1.id }, in: entry)
    }

    func endRegisteredChannels() {
        for channel in self.registeredChannels.values { channel.finish() }
        self.registeredChannels = [:]
    }

    private func open(_ channels: [RegisteredChannel], in entry: ManagedSession) {
        guard let session = entry.session else { return }
        let device = entry.device.id
        session.assumeIsolated { session in
            for channel in channels {
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
