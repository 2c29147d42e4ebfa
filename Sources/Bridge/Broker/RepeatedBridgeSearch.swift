import BridgeCore
import CastSender
import EventLoopTiming
import LogKeys
import Logging
import MQTTClient
import NIOCore

/// Delays the connection to the broker while another bridge uses the same base.
final class RepeatedBridgeSearch {
    /// The pause between two searches while the base is in use.
    static let pause = TimeAmount.seconds(30)
    static let patience = Duration.seconds(2)

    private let context: BridgeContext
    /// Called when the broker required another version.
    private let onProtocolChosen: (MQTTProtocolVersion) -> Void
    private var link: BridgeSearchLink?

    init(_ context: BridgeContext, onProtocolChosen: @escaping (MQTTProtocolVersion) -> Void) {
        (self.context, self.onProtocolChosen) = (context, onProtocolChosen)
    }

    /// Retries at once instead of waiting for the next attempt.
    func wake() { self.link?.wake() }

    /// Returns when no other bridge answers, or when the task is cancelled.
    /// - Parameter besidesPair: whether one that belongs to a pair may answer.
    nonisolated(nonsending) func waitUntilAlone(
        _ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration, besidesPair: Bool = false
    ) async {
        var hasWarned = false
        while case .answered(let other) = await self.search(makeLink, configuration), !besidesPair || !other.isInPair {
            self.context.logger.log(
                level: hasWarned ? .debug : .warning, "another bridge uses the same base; waiting for its end",
                metadata: [
                    .base: "\(self.context.topics.base)", .instance: "\(other.instance ?? "-")",
                    .version: "\(other.version ?? "-")", .startedAt: "\(other.startedAt ?? "-")",
                    .remedy: "stop it, or give this one its own mqtt.base, instance and state_directory",
                ])
            hasWarned = true
            await sleep(Self.pause, on: self.context.loop.eventLoop)
            if Task.isCancelled { return }
        }
        if hasWarned, !Task.isCancelled { self.context.logger.info("the other bridge has ended") }
    }

    /// Searches once, as soon as the broker can be reached.
    private nonisolated(nonsending) func search(
        _ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration
    ) async -> BridgeSearch.Finding {
        let link = BridgeSearchLink(
            topics: self.context.topics, nonce: UInt64(self.context.random() * Double(1 << 48)), configuration: configuration,
            patience: .sinceConnection(Self.patience), makeRequest: { self.context.packets.packet(of: $0, at: self.context.now.wall) },
            eventLoop: self.context.loop.eventLoop,
            onProtocolChosen: self.context.loop.entrance { [weak self] in self?.onProtocolChosen($0) })
        self.link = link
        defer { self.link = nil }
        // A failure to connect is not reported here, because the broker may refuse only this client id; the bridge's own link reports it.
        return await link.run(makeLink)
    }
}
