import BridgeCore
import CastSender

/// Fetches the pictures of what devices play, for `artwork/image`.
///
/// A picture is fetched when its address changes; a fetch that is not needed any more is given up. Until the new picture is there the
/// previous one stays, and one that can't be had leaves none. Bounded by the devices; the image source bounds the downloads.
final class ArtworkImages {
    private struct Wanted {
        /// The address, with its secrets; `nil` when there is no picture.
        let url: String?
        let fetch: Task<Void, Never>?
    }

    private let context: BridgeContext
    /// `nil` while no pictures are published.
    private let source: (any ImageSource)?
    private unowned let directory: any DeviceDirectory
    private let apply: (DeviceEvent, DeviceAgent) -> Void
    private var wanted: [DeviceAgent.Key: Wanted] = [:]

    /// - Parameter apply: applies an event to the state of a device.
    init(_ context: BridgeContext, directory: any DeviceDirectory, apply: @escaping (DeviceEvent, DeviceAgent) -> Void) {
        self.context = context
        self.source = context.settings.artwork.publishesImages ? context.program.images : nil
        self.directory = directory
        self.apply = apply
    }

    /// These documents of a device may differ.
    func changed(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        guard let source = self.source, agent.state.link.isDetermined, !documents.isDisjoint(with: [.mediaValues, .receiverValues])
        else { return }
        let url = agent.artworkAddress(by: self.context.mapper)
        let former = self.wanted[agent.key]
        guard former == nil || former?.url != url else { return }
        former?.fetch?.cancel()
        guard let url else {
            self.wanted[agent.key] = Wanted(url: nil, fetch: nil)
            if agent.state.artworkImage != .none { self.apply(.artworkImage(.none), agent) }
            return
        }
        let key = agent.key
        let fetch = self.context.loop.start(self) { artwork in
            var image: CachedImage?
            do throws(CastError) {
                image = try await source.image(at: url)
            } catch {
                artwork.report(error)
            }
            artwork.fetched(image, of: key, from: url)
        }
        self.wanted[agent.key] = Wanted(url: url, fetch: fetch)
    }

    /// A device is removed.
    func dismiss(_ agent: DeviceAgent) { self.wanted.removeValue(forKey: agent.key)?.fetch?.cancel() }

    func end() {
        for wanted in self.wanted.values { wanted.fetch?.cancel() }
        self.wanted = [:]
    }

    private func fetched(_ image: CachedImage?, of key: DeviceAgent.Key, from url: String) {
        guard !Task.isCancelled, self.wanted[key]?.url == url, let agent = self.directory.device(key) else { return }
        self.context.loop.turn { self.apply(.artworkImage(image.map { .picture($0.bytes) } ?? .none), agent) }
    }

    private func report(_ error: CastError) {
        // The address may carry a secret, and people find it in `media`.
        self.context.logger.debug("artwork not fetched", metadata: ["error": "\(error.code)", "detail": "\(error.detail)"])
    }
}
