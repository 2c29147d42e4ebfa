import CastModels
import FoundationEssentials
import HTTPFetch
import NIOCore
import NIOPosix

/// Finds out why a device cannot play a medium: fetches the beginning of the medium, as a receiver would, and checks it.
///
/// It checks the host name, the connection, TLS, redirects, the status, the type, ranges, CORS, container and codecs. For a manifest it
/// also checks the first addresses in it, and for any medium its external text tracks. It fetches at most 256 kB of content, from private
/// networks and the Internet, never from loopback and link-local addresses. It uses the network of this machine, which may differ from that
/// of the device.
///
/// ```swift
/// do { try await client.load(request) } catch let error where error.code == .mediaLoadFailed {
///     for finding in await MediaCheck().run(media).findings { print(finding.text, finding.remedy) }
/// }
/// ```
public struct MediaCheck: Sendable {
    /// The default time limit of a check.
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

    /// Returns whether the medium has an address that can be checked. Applications may use ids of their own instead.
    public static func canCheck(_ media: MediaInformation) -> Bool {
        FetchAddress(media.contentURL ?? media.contentID ?? "") != nil
    }

    /// Checks a medium. A cancelled check ends at once and returns its findings so far.
    ///
    /// - Parameters:
    ///   - media: the medium that was loaded, or is about to be.
    ///   - capabilities: the capabilities of the device; `nil` skips the checks that depend on them.
    ///   - limit: the time limit; the check then returns its findings so far.
    public func run(
        _ media: MediaInformation, capabilities: DeviceCapabilities? = nil, within limit: Duration = MediaCheck.defaultLimit
    ) async -> MediaCheckReport {
        let end = ContinuousClock.now + limit
        // A disk that hangs must not use up the time of the check.
        let hostsFile = await FirstAnswer.of(within: min(limit / 5, .seconds(1)), late: [], cancelled: []) { await self.hostsFile() }
        var plan = MediaCheckPlan(
            media: media, capabilities: capabilities, hostsFile: hostsFile, now: Int64(Date().timeIntervalSince1970),
            pace: self.pace)
        while true {
            switch plan.next(remaining: end - .now) {
            case .finished(let report): return report
            case .certificates(let url, let scopes, let limit):
                plan.certificates(await self.fetcher.certificates(of: url, in: scopes, timeLimit: limit))
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
