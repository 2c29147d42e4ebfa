import BridgeCore
import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes `artwork/<device>` and `media/picture`: a client names a device, a file, a preset or what was played, and can't name an
/// address.
struct ArtworkRoute: Sendable {
    let bridge: any BridgeAccess
    let budget: ArtworkBudget
    /// Of its own, so that a folder of photos leaves room for the pictures of what plays.
    private let mediaBudget = ArtworkBudget()

    /// The largest width and height, in pixels.
    static let widths = 1...4_096

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("/artwork/:device", for: .view) { request, context in
            let width = try request.uri.integer("width", in: Self.widths)
            let item = try request.uri.integer("item", in: 0...Int(Int32.max))
            let device = (context.parameters.get("device") ?? "").percentDecoded
            return try self.response(await self.bridge.artwork(of: device, item: item, width: width), request, context.channel, self.budget)
        }
        router.get("/media/picture", for: .control) { request, context in
            let parameter = request.uri.parameter
            let choice = parameter("preset").map { MediaChoice.preset($0) } ?? parameter("recent").map { .recent($0) }
            guard let choice = choice ?? parameter("path").map({ .file($0) }) else {
                throw WebError.badQuery("path", "the path of a file or folder")
            }
            return try self.response(await self.bridge.picture(of: choice), request, context.channel, self.mediaBudget)
        }
    }

    private func response(
        _ result: Result<ArtworkPicture, ArtworkFailure>, _ request: Request, _ channel: any Channel, _ budget: ArtworkBudget
    ) throws(WebError) -> Response {
        switch result {
        case .success(let picture): return try self.response(picture, request, channel, budget)
        case .failure(.unknownDevice): throw .unknownDevice
        case .failure(.rateLimited): throw .tooManyPictures
        case .failure(.noArtwork), .failure(.notFetched): throw .noArtwork
        }
    }

    private func response(
        _ picture: ArtworkPicture, _ request: Request, _ channel: any Channel, _ budget: ArtworkBudget
    ) throws(WebError) -> Response {
        let tag = "\"\(HexadecimalText.of(SHA256.hash(data: picture.bytes).prefix(16)))\""
        var headers: HTTPFields = [.contentType: picture.contentType, .eTag: tag]
        // With `v` the address changes with the picture, so that browsers may cache it.
        headers[.cacheControl] = request.uri.parameter("v") == nil ? "private, no-cache" : "private, max-age=3600"
        headers[.contentSecurityPolicy] = "sandbox; default-src 'none'"
        if request.headers.hasTag(tag) { return Response(status: .notModified, headers: headers) }
        guard let share = budget.share(picture.bytes.count) else { throw .tooManyPictures }
        let bytes = ByteBuffer(bytes: picture.bytes)
        return Response(status: .ok, headers: headers, body: ResponseBody(piecesOf: bytes, to: channel, owner: share))
    }
}

extension WebError {
    static let tooManyPictures = WebError.rateLimited("Too many pictures are asked for.", retryAfter: .seconds(2))
    static let noArtwork = WebError(.notFound, "no_artwork", "There is no picture of what plays.")
}
