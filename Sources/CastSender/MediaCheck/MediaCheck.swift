import CastModels
import FoundationEssentials
import HTTPFetch
import NIOCore
import NIOPosix

/// Finds out why a device can't play a medium: fetches the beginning of what the medium names, as a receiver would, and judges it.
///
/// It looks at the name, the connection, TLS, redirects, the status, the type, ranges, CORS, container and codecs; of a manifest also at the first
/// addresses that it names, and at text tracks outside the medium. It fetches at most 256 kB of content, from private networks and the Internet, never from loopback and
/// link-local addresses. It sees the network from this machine: a device elsewhere may see another one.
///
/// ```swift
/// do { try await client.load(request) } catch let error where error.code == .mediaLoadFailed {
///     for finding in await MediaCheck().run(media).findings { print(finding.text, finding.remedy) }
/// }
/// ```
public struct MediaCheck: Sendable {
    /// The time that a check takes at most unless its caller says otherwise.
    public static let defaultLimit = Duration.seconds(5)

    private let fetcher: HTTPFetcher
    private let pace: MediaCheckPlan.Pace
    private let hostsFile: @Sendable () async -> Set<String>

    /// - Parameter eventLoopGroup: runs the connections.
    public init(eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
        self.init(fetcher: HTTPFetcher(group: eventLoopGroup, policy: .networks)) { await HostsFile.names() }
    }

    /// - Parameter hostsFile: returns the names of the hosts file, in lower case.
    package init(fetcher: HTTPFetcher, pace: MediaCheckPlan.Pace = .init(), hostsFile: @escaping @Sendable () async -> Set<String>) {
        self.fetcher = fetcher
        self.pace = pace
        self.hostsFile = hostsFile
    }

    /// Returns whether the medium has an address that can be checked. Applications may have ids of their own instead.
    public static func canCheck(_ media: MediaInformation) -> Bool {
        FetchAddress(media.contentURL ?? media.contentID ?? "") != nil
    }

    /// Checks a medium. A check that is cancelled ends at once, with what it has found.
    ///
    /// - Parameters:
    ///   - media: what was loaded, or is about to be.
    ///   - capabilities: of the device that shall play it; `nil` leaves out what depends on them.
    ///   - limit: the check ends after this time, with what it has found.
    public func run(
        _ media: MediaInformation, capabilities: DeviceCapabilities? = nil, within limit: Duration = MediaCheck.defaultLimit
    ) async -> MediaCheckReport {
        let end = ContinuousClock.now + limit
        // A disk that hangs must not take the time of the check.
        let hostsFile = await FirstAnswer.of(within: min(limit / 5, .seconds(1)), late: [], cancelled: []) { await self.hostsFile() }
        var plan = MediaCheckPlan(
            media: media, capabilities: capabilities, hostsFile: hostsFile, now: Int64(Date().timeIntervalSince1970),
            pace: self.pace)
        while true {
            switch plan.next(remaining: end - .now) {
            case .finished(let report): return report
            case .certificates(let url, let limit): plan.certificates(await self.fetcher.certificates(of: url, timeLimit: limit))
            case .fetch(let request):
                do throws(HTTPFetchError) {
                    plan.answered(.success(try await self.fetcher.fetch(request)))
                } catch {
                    plan.answered(.failure(error))
                }
            }
        }
    }
}
