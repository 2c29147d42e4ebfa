import CastModels
import FoundationEssentials
import HTTPFetch
import NIOCore
import NIOPosix

/// Downloads pictures and keeps them on disk (SDK: `GCKUIImageCache`).
///
/// A stored picture is used until its server's `Cache-Control` expires; then the server is asked whether it has changed. While the server
/// does not answer, the stored picture is used. Restrictions: only http and https, at most `imageByteLimit` bytes, at most three redirects,
/// and no loopback or link-local addresses unless `allowsLocalAddresses`. Callers of the same address share one download, which ends when
/// no caller waits for it.
public actor ImageCache: ImageSource {
    public struct Options: Sendable, Hashable {
        /// The folder of the pictures, created if needed; `nil` stores none, and keeps the last ones in memory for at most 30 seconds.
        public var folder: String?
        /// The largest number of bytes on disk; the least recently used pictures are removed first.
        public var byteLimit: Int
        /// The largest size of one picture, in bytes.
        public var imageByteLimit: Int
        /// Whether loopback and link-local addresses are allowed.
        public var allowsLocalAddresses: Bool
        /// The time limit of a download, from name resolution to the last byte, redirects included.
        public var timeLimit: Duration
        /// The number of concurrent downloads.
        public var downloadLimit: Int

        public init(
            folder: String?, byteLimit: Int = 67_108_864, imageByteLimit: Int = 4_194_304, allowsLocalAddresses: Bool = false,
            timeLimit: Duration = .seconds(10), downloadLimit: Int = 4
        ) {
            self.folder = folder
            self.byteLimit = byteLimit
            self.imageByteLimit = imageByteLimit
            self.allowsLocalAddresses = allowsLocalAddresses
            self.timeLimit = timeLimit
            self.downloadLimit = max(1, downloadLimit)
        }
    }

    private typealias Outcome = Result<CachedImage, CastError>

    /// The largest number of running and waiting requests; further ones are refused.
    private static let requestLimit = 1_024
    private static let redirectLimit = 3

    private let options: Options
    private let fetcher: HTTPFetcher
    private let store: ImageStore?
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64
    private var index: ImageCacheIndex
    /// Used without a folder only.
    private var recent = RecentImages()
    private var isOpen = false
    private var running: [String: Load] = [:]
    private var downloads = 0
    /// The loads that wait for a download slot, oldest first.
    private var waiting: [Turn] = []
    private var turns = 0

    private struct Load {
        let task: Task<Outcome, Never>
        /// The number of callers that wait for the picture.
        var waiters = 1
    }

    /// A load's place in the queue; resumed with whether its turn came.
    private struct Turn {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// - Parameters:
    ///   - options: the folder and the limits.
    ///   - group: the event loops of the downloads.
    public init(_ options: Options, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
        self.init(
            options,
            fetcher: HTTPFetcher(group: group, policy: options.allowsLocalAddresses ? .everything : .networks),
            now: { Int64(Date().timeIntervalSince1970) })
    }

    init(_ options: Options, fetcher: HTTPFetcher, now: @escaping @Sendable () -> Int64) {
        self.options = options
        self.fetcher = fetcher
        self.store = options.folder.map { ImageStore(folder: $0, imageByteLimit: options.imageByteLimit) }
        self.now = now
        self.index = ImageCacheIndex(byteLimit: options.byteLimit)
    }

    /// Returns the picture of an address, from disk or from its server.
    ///
    /// - Throws: `invalidRequest` for an address that is not http or https; `notAllowed` for a forbidden address; `networkError`, `timeout`
    ///   or `invalidResponse` when the server cannot be reached, is late, or sends no picture; `messageTooBig` above `imageByteLimit`;
    ///   `sendBufferFull` when too many requests wait; `cancelled`.
    public func image(at url: String) async throws(CastError) -> CachedImage {
        guard FetchAddress(url) != nil else { throw CastError(.invalidRequest, detail: "not an http or https address") }
        let task: Task<Outcome, Never>
        if let load = self.running[url] {
            task = load.task
            self.running[url]?.waiters += 1
        } else {
            guard self.running.count < Self.requestLimit else {
                throw CastError(.sendBufferFull, detail: "too many pictures are asked for")
            }
            // Not a child task of the caller, because others may wait for the same picture. It ends by its own time limit or with the last
            // caller.
            task = Task { await self.load(url) }
            self.running[url] = Load(task: task)
        }
        let outcome = await FirstAnswer<Outcome>.of(within: nil, late: Self.cancelled, cancelled: Self.cancelled) { await task.value }
        self.leave(url)
        return try outcome.get()
    }

    private static let cancelled = Outcome.failure(CastError(.cancelled, detail: "cancelled"))

    /// The number of callers whose pictures are loading or waiting, for tests.
    var callers: Int { self.running.values.reduce(0) { $0 + $1.waiters } }

    /// Removes a caller that has its picture or was cancelled. Each caller leaves once, so the load is the one that it entered.
    private func leave(_ url: String) {
        guard var load = self.running[url] else { return }
        load.waiters -= 1
        self.running[url] = load.waiters > 0 ? load : nil
        if load.waiters == 0 { load.task.cancel() }
    }

    /// Returns the picture to show for a medium.
    ///
    /// - Returns: `nil` when the medium has no picture for this purpose.
    /// - Throws: the errors of `image(at:)`.
    public func image(
        _ hints: ImageHints, of metadata: MediaMetadata, picker: any ImagePicker = FirstImagePicker()
    ) async throws(CastError) -> CachedImage? {
        guard let image = picker.image(for: hints, of: metadata) else { return nil }
        return try await self.image(at: image.url)
    }

    /// Removes every picture from disk and memory.
    public func removeAll() async {
        self.recent.removeAll()
        await self.open()
        let names = Array(self.index.entries.keys)
        self.index = ImageCacheIndex(byteLimit: self.options.byteLimit)
        await self.store?.remove(names)
    }

    // MARK: One address

    private func load(_ url: String) async -> Outcome {
        await self.open()
        if let image = self.recent.image(at: url, now: self.now()) { return .success(image) }
        var stored: ImageStore.StoredImage?
        if let store, self.index.use(ImageStore.name(of: url)) { stored = await store.read(url) }
        if let stored, stored.freshness.isFresh(at: self.now()) { return .success(stored.image) }
        guard await self.beginDownload() else { return Self.cancelled }
        defer { self.endDownload() }
        do throws(HTTPFetchError) {
            return await self.answered(try await self.fetch(url, conditions: stored?.freshness.conditions ?? []), url, stored)
        } catch {
            return stored.map { .success($0.image) } ?? .failure(CastError(error))
        }
    }

    private func answered(_ response: HTTPFetchResponse, _ url: String, _ stored: ImageStore.StoredImage?) async -> Outcome {
        if response.status == 304, let stored {
            await self.keep(stored.image, stored.freshness.renewed(by: response, now: self.now()))
            return .success(stored.image)
        }
        guard response.status == 200 else {
            // A failing server does not invalidate the stored picture; a server that reports it as removed does.
            if let stored, ![404, 410].contains(response.status) { return .success(stored.image) }
            await self.keep(CachedImage(url: url, format: .jpeg, bytes: []), nil)
            return .failure(CastError(.invalidResponse, detail: "the server answered \(response.status)"))
        }
        guard !response.isCut else {
            return .failure(CastError(.messageTooBig, detail: "more than \(self.options.imageByteLimit) bytes"))
        }
        guard let format = ImageFormat(response.body) else {
            return .failure(CastError(.invalidResponse, detail: "not a picture of a known format"))
        }
        let image = CachedImage(url: url, format: format, bytes: response.body)
        await self.keep(image, ImageFreshness(response, now: self.now()))
        return .success(image)
    }

    private func fetch(_ url: String, conditions: [HTTPFetchRequest.Header]) async throws(HTTPFetchError) -> HTTPFetchResponse {
        let request = HTTPFetchRequest(
            .get, url, headers: [.init("Accept", "image/*")] + conditions, byteLimit: self.options.imageByteLimit,
            timeLimit: self.options.timeLimit)
        return try await self.fetcher.follow(request, redirectLimit: Self.redirectLimit).response
    }

    // MARK: The disk

    /// Stores a picture, or removes it when `freshness` is `nil`.
    private func keep(_ image: CachedImage, _ freshness: ImageFreshness?) async {
        guard let store else { return self.recent.add(image, freshness, now: self.now()) }
        let name = ImageStore.name(of: image.url)
        guard let freshness, let contents = store.contents(ImageStore.StoredImage(image: image, freshness: freshness)),
            let removed = self.index.add(name, bytes: contents.count)
        else {
            self.index.remove(name)
            return await store.remove([name])
        }
        await store.remove(removed)
        if await !store.write(contents, for: image.url) { self.index.remove(name) }
    }

    /// Reads the list of pictures that an earlier run stored. Loads that begin meanwhile find none and download.
    private func open() async {
        guard !self.isOpen, let store else { return }
        self.isOpen = true
        var removed: [String] = []
        for listing in await store.open() { removed += self.index.add(listing.name, bytes: listing.bytes) ?? [listing.name] }
        await store.remove(removed)
    }

    // MARK: Turns

    /// Waits for a download slot.
    /// - Returns: `false` when the load was cancelled before its turn.
    private func beginDownload() async -> Bool {
        if self.downloads < self.options.downloadLimit {
            self.downloads += 1
            return true
        }
        self.turns += 1
        let number = self.turns
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: false) }
                self.waiting.append(Turn(number: number, continuation: continuation))
            }
        } onCancel: {
            Task { await self.leaveQueue(number) }
        }
    }

    /// Removes a waiting load from the queue; does nothing when its turn has come.
    private func leaveQueue(_ number: Int) {
        guard let index = self.waiting.firstIndex(where: { $0.number == number }) else { return }
        self.waiting.remove(at: index).continuation.resume(returning: false)
    }

    /// Hands the download slot to the next waiting load.
    private func endDownload() {
        if self.waiting.isEmpty { self.downloads -= 1 } else { self.waiting.removeFirst().continuation.resume(returning: true) }
    }
}

extension CastError {
    /// The error of a picture that was not fetched.
    fileprivate init(_ error: HTTPFetchError) {
        let code: Code =
            switch error.code {
            case .invalidURL: .invalidRequest
            case .addressRefused: .notAllowed
            case .nameNotResolved, .unreachable, .tlsFailed: .networkError
            case .timedOut: .timeout
            case .invalidAnswer: .invalidResponse
            case .cancelled: .cancelled
            }
        self.init(code, detail: error.detail)
    }
}
