import HTTPFetch
import NIOCore

/// Looks at what an address leads to before it is loaded. It fetches as a media check does, from the same networks. Equal looks at the same
/// time, such as those of a command to all devices, are one.
package actor MediaProbe {
    package struct Answer: Sendable {
        /// The MIME type to load it with; `nil` for a playlist, and for what no receiver plays.
        package var type: String?
        /// Whether it has no end: a radio station.
        package var isLive = false
        /// The entries of a playlist, with absolute addresses.
        package var entries: [Playlist.Entry] = []
        /// The parts of the address space that these may lead to.
        package var scopes: Set<AddressPolicy.Scope>?
    }

    private struct Look: Hashable {
        let url: String
        let hint: String?
        let scopes: Set<AddressPolicy.Scope>?
    }

    private let fetcher: HTTPFetcher
    private var running: [Look: Task<Answer?, Never>] = [:]
    static let runningLimit = 8
    private static let headLimit = 16 << 10
    private static let redirectLimit = 4

    package init(eventLoopGroup: any EventLoopGroup) { self.init(fetcher: HTTPFetcher(group: eventLoopGroup, policy: .networks)) }

    package init(fetcher: HTTPFetcher) { self.fetcher = fetcher }

    /// - Parameters:
    ///   - hint: the type that the address's extension suggests.
    ///   - scopes: narrow the address space, for the entry of a playlist.
    /// - Returns: `nil` when nothing is served there, and while eight others are being looked at.
    package func look(at url: String, like hint: String?, in scopes: Set<AddressPolicy.Scope>? = nil) async -> Answer? {
        let look = Look(url: url, hint: hint, scopes: scopes)
        if let task = self.running[look] { return await task.value }
        guard self.running.count < Self.runningLimit else { return nil }
        let task = Task { [fetcher] in try? await Self.answer(look, fetcher) }
        self.running[look] = task
        defer { self.running[look] = nil }
        return await task.value
    }

    /// Fetches the whole of something small, like subtitles; `nil` when that fails.
    package nonisolated func read(_ url: String, byteLimit: Int) async -> [UInt8]? {
        let answer = try? await Self.fetch(url, in: nil, byteLimit: byteLimit, within: .seconds(5), self.fetcher)
        return answer.flatMap { $0.response.isCut ? nil : $0.response.body }
    }

    private static func answer(_ look: Look, _ fetcher: HTTPFetcher) async throws(HTTPFetchError) -> Answer {
        let (head, url, scopes) = try await self.fetch(look.url, in: look.scopes, byteLimit: self.headLimit, within: .seconds(4), fetcher)
        let declared = head.value(of: "Content-Type").map(ContentTypeRule.bare)
        let container = FormatReader.read(head.body)?.container
        // A list of addresses alone has no mark; only its name or its type says what it is.
        let isNamedList = [declared, look.hint.map(ContentTypeRule.bare)].contains { $0.map { ContentTypeRule.fits($0, .hls) } ?? false }
        if container == .m3u || container == .pls || container == nil && isNamedList && !head.body.contains(where: { $0 < 9 }) {
            let whole =
                head.isCut
                ? try await self.fetch(url, in: scopes, byteLimit: Playlist.byteLimit, within: .seconds(5), fetcher).response : head
            return Answer(entries: Playlist.read(whole.body).compactMap { self.absolute($0, from: url) }, scopes: scopes)
        }
        let isEndless =
            head.headers.contains { $0.name.lowercased().hasPrefix("icy-") } || head.isCut && head.value(of: "Content-Length") == nil
        guard let container else {
            // A stream may begin in the middle of a frame.
            let isMedium = declared.map { type in ["audio/", "video/"].contains { type.hasPrefix($0) } } ?? false
            return Answer(type: isMedium ? declared : nil, isLive: isMedium && isEndless)
        }
        guard container.kind != .other, container.kind != .text else { return Answer() }
        let fitting = [declared, look.hint].compactMap { $0 }.first { ContentTypeRule.fits(ContentTypeRule.bare($0), container) }
        return Answer(type: ContentTypeRule.type(of: container, like: fitting), isLive: container.kind == .file && isEndless)
    }

    private static func absolute(_ entry: Playlist.Entry, from url: String) -> Playlist.Entry? {
        let address = FetchAddress(url)?.resolving(entry.location)
        return address.map { Playlist.Entry(location: $0.text, title: entry.title) }
    }

    private static func fetch(
        _ url: String, in scopes: Set<AddressPolicy.Scope>?, byteLimit: Int, within limit: Duration, _ fetcher: HTTPFetcher
    ) async throws(HTTPFetchError) -> (response: HTTPFetchResponse, url: String, scopes: Set<AddressPolicy.Scope>) {
        var request = HTTPFetchRequest(.get, url, byteLimit: byteLimit, timeLimit: limit)
        (request.bodyLimit, request.scopes) = (limit / 2, scopes)
        let found = try await fetcher.follow(request, redirectLimit: self.redirectLimit)
        guard (200..<300).contains(found.response.status) else {
            throw HTTPFetchError(.invalidAnswer, "no medium is served at this address")
        }
        return found
    }
}
