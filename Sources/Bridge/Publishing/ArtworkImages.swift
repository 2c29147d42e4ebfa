import BridgeCore
import CastSender
import EventLoopTiming
import LogKeys

/// Fetches the artwork of each device's media and application, for the topic `artwork/image`.
///
/// A picture is fetched when its address changes; a fetch that is no longer needed is cancelled. The previous picture stays until the new
/// one is fetched, and is removed when the fetch fails. After a temporary failure the fetch is repeated with growing pauses.
/// The table has at most one entry for each device; the image source limits the downloads.
final class ArtworkImages {
    /// The pause after the first failure; each further failure doubles it.
    static let firstPause = Duration.seconds(30)
    static let longestPause = Duration.seconds(1800)

    /// The picture that one device needs, and the attempts to fetch it.
    private final class Wanted {
        /// The address, including secrets; `nil` when there is no picture.
        let url: String?
        /// Unique for each fetch.
        let number: UInt64
        var fetch: Task<Void, Never>?
        var pause = ArtworkImages.firstPause
        /// When to fetch again after a failure.
        var deadline: Deadline?

        init(url: String?, number: UInt64) { (self.url, self.number) = (url, number) }

        func cancel() {
            self.fetch?.cancel()
            self.deadline?.cancel()
        }
    }

    private let context: BridgeContext
    /// `nil` while no pictures are published.
    private let source: (any ImageSource)?
    private unowned let fleet: DeviceFleet
    private let apply: (DeviceEvent, DeviceAgent) -> Void
    private var wanted: [DeviceAgent.Key: Wanted] = [:]
    private var nextNumber: UInt64 = 0
    /// The number of fetches under way. Tests wait for them, because a fetch takes none of their virtual time.
    private(set) var fetches = 0

    /// - Parameter apply: applies an event to the state of a device.
    init(_ context: BridgeContext, fleet: DeviceFleet, apply: @escaping (DeviceEvent, DeviceAgent) -> Void) {
        self.context = context
        self.source = context.settings.artwork.publishesImages ? context.program.images : nil
        self.fleet = fleet
        self.apply = apply
    }

    /// Fetches the picture of a device if its address has changed.
    /// - Parameter documents: the documents of the device that may have changed.
    func changed(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        guard self.source != nil, agent.state.link.isDetermined, !documents.isDisjoint(with: [.mediaValues, .receiverValues])
        else { return }
        let url = agent.artworkAddress(by: self.context.mapper)
        let previous = self.wanted[agent.key]
        guard previous == nil || previous?.url != url else { return }
        previous?.cancel()
        self.wanted[agent.key] = Wanted(url: url, number: self.nextNumber)
        self.nextNumber += 1
        if url != nil {
            self.fetch(agent.key)
        } else if agent.state.artworkImage != .none {
            self.apply(.artworkImage(.none), agent)
        }
    }

    func dismiss(_ agent: DeviceAgent) { self.wanted.removeValue(forKey: agent.key)?.cancel() }

    func end() {
        for wanted in self.wanted.values { wanted.cancel() }
        self.wanted = [:]
    }

    // MARK: Fetching

    private func fetch(_ key: DeviceAgent.Key) {
        guard let source = self.source, let wanted = self.wanted[key], let url = wanted.url else { return }
        let number = wanted.number
        wanted.fetch = self.context.loop.start(self) { await $0.fetch(url, of: key, number, from: source) }
    }

    private nonisolated(nonsending) func fetch(
        _ url: String, of key: DeviceAgent.Key, _ number: UInt64, from source: any ImageSource
    ) async {
        self.fetches += 1
        defer { self.fetches -= 1 }
        do throws(CastError) {
            let image = try await source.image(at: url)
            // The source also serves the web page, for which larger pictures are allowed.
            guard image.bytes.count <= self.context.settings.artwork.imageByteLimit else {
                throw CastError(.messageTooBig, detail: "more than \(self.context.settings.artwork.imageByteLimit) bytes")
            }
            self.ended(.picture(image.bytes), of: key, number)
        } catch {
            self.failed(error, of: key, number)
        }
    }

    private func ended(_ image: ArtworkImage, of key: DeviceAgent.Key, _ number: UInt64) {
        guard !Task.isCancelled, self.wanted[key]?.number == number, let agent = self.fleet.device(key) else { return }
        self.context.loop.turn { self.apply(.artworkImage(image), agent) }
    }

    private func failed(_ error: CastError, of key: DeviceAgent.Key, _ number: UInt64) {
        // Logged without the address, because it may contain a secret; users find it in `media`.
        self.context.logger.debug("artwork not fetched", metadata: [.error: "\(error.code)", .detail: "\(error.detail)"])
        guard !Task.isCancelled, let wanted = self.wanted[key], wanted.number == number else { return }
        // The same fetch may succeed later.
        if [.networkError, .timeout, .sendBufferFull].contains(error.code) { self.fetchLater(key, wanted) }
        self.ended(.none, of: key, number)
    }

    private func fetchLater(_ key: DeviceAgent.Key, _ wanted: Wanted) {
        let deadline = wanted.deadline ?? self.context.loop.deadline { [weak self] in self?.fetch(key) }
        wanted.deadline = deadline
        deadline.set(self.context.time + wanted.pause)
        wanted.pause = min(wanted.pause * 2, Self.longestPause)
    }
}
