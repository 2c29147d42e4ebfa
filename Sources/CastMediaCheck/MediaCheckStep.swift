import HTTPFetch

/// One address to fetch, including its redirects.
struct MediaCheckStep: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case media
        /// A few bytes within the medium, which the head contains too.
        case range(offset: Int, expected: [UInt8])
        /// The index of an MP4 file behind its media data.
        case index(offset: Int)
        /// A variant, a key, or the head of an initialization or a segment.
        case manifestItem
        case track
        /// The preflight request of a browser before it fetches a track with a range (WHATWG Fetch, section "CORS-preflight fetch").
        case preflight
    }

    /// The size of the medium's head, in bytes.
    static let headLength = 65_536

    var purpose: Purpose
    var subject: MediaFinding.Subject
    var url: String
    /// The addresses that redirected here, in order.
    var previous: [String] = []
    /// The finding about the first redirect that a receiver's page is not allowed to read.
    var originOfRedirects: MediaFinding.Code?
    /// The parts of the address space that the answers which led here allow; `nil` for an address of the caller.
    private(set) var scopes: Set<AddressPolicy.Scope>?

    init(_ purpose: Purpose, _ subject: MediaFinding.Subject, _ url: String) {
        self.purpose = purpose
        self.subject = subject
        self.url = url
    }

    /// Returns a step to an address that the answer to this one names, or to the same one, whose name may have another address by then.
    func next(_ purpose: Purpose, _ subject: MediaFinding.Subject, _ url: String, after response: HTTPFetchResponse) -> MediaCheckStep {
        var next = MediaCheckStep(purpose, subject, url)
        let scopes = AddressPolicy.scopes(afterRedirectFrom: response.address)
        next.scopes = self.scopes?.intersection(scopes) ?? scopes
        return next
    }

    /// Whether receivers fetch it by script, so that its server must allow their origin in any case.
    var needsOrigin: Bool {
        switch self.purpose {
        case .manifestItem, .track: true
        case .media, .range, .index, .preflight: false
        }
    }

    /// - Parameters:
    ///   - bytesLeft: the remaining bytes of the whole check.
    ///   - limit: the time limit.
    ///   - pace: the times of the body and of a connection.
    func request(bytesLeft: Int, limit: Duration, pace: MediaCheckPlan.Pace) -> HTTPFetchRequest {
        var headers = [
            HTTPFetchRequest.Header("Origin", OriginRule.origin), .init("Accept", "*/*"), .init("User-Agent", "CastSender MediaCheck"),
        ]
        var (method, length) = (HTTPFetchRequest.Method.get, 0)
        switch self.purpose {
        case .media:
            length = Self.headLength
            headers.append(.init("Range", "bytes=0-\(length - 1)"))
        case .range(let offset, let expected):
            length = expected.count
            headers.append(.init("Range", "bytes=\(offset)-\(offset + length - 1)"))
        case .index(let offset):
            length = 32_768
            headers.append(.init("Range", "bytes=\(offset)-\(offset + length - 1)"))
        // An initialization with the data of several licence systems has a few kilobytes.
        case .manifestItem: length = 16_384
        case .track: length = 4096
        case .preflight:
            (method, length) = (.options, 1024)
            headers.append(.init("Access-Control-Request-Method", "GET"))
            headers.append(.init("Access-Control-Request-Headers", OriginRule.neededHeaders.joined(separator: ", ")))
        }
        var request = HTTPFetchRequest(
            method, self.url, headers: headers, byteLimit: min(length, bytesLeft), timeLimit: limit, connectLimit: pace.connection)
        // A radio station sends in real time; the bytes that arrived by then are sufficient.
        request.bodyLimit = pace.body
        request.scopes = self.scopes
        return request
    }
}
