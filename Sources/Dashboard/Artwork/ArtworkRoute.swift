import BridgeCore
import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// The route `artwork/<device>`: the picture of the current item. A client names a device and can't name an address.
struct ArtworkRoute: Sendable {
    let bridge: any BridgeAccess
    let budget: ArtworkBudget

    /// The largest width and height, in pixels.
    static let widths = 1...4_096

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("/artwork/:device", for: .view) { request, context in
            let width = try request.uri.integer("width", in: Self.widths)
            let item = try request.uri.integer("item", in: 0...Int(Int32.max))
            let device = (context.parameters.get("device") ?? "").percentDecoded
            switch await self.bridge.artwork(of: device, item: item, width: width) {
            case .success(let picture): return try self.response(picture, request, context.channel)
            case .failure(.unknownDevice): throw WebError.unknownDevice
            case .failure(.rateLimited): throw WebError.tooManyPictures
            case .failure(.noArtwork), .failure(.notFetched): throw WebError.noArtwork
            }
        }
    }

    private func response(_ picture: ArtworkPicture, _ request: Request, _ channel: any Channel) throws(WebError) -> Response {
        let tag = "\"\(HexadecimalText.of(SHA256.hash(data: picture.bytes).prefix(16)))\""
        var headers: HTTPFields = [.contentType: picture.contentType, .eTag: tag]
        // With `v` the address changes with the picture, so that browsers may cache it.
        headers[.cacheControl] = request.uri.parameter("v") == nil ? "private, no-cache" : "private, max-age=3600"
        headers[.contentSecurityPolicy] = "sandbox; default-src 'none'"
        if request.headers.hasTag(tag) { return Response(status: .notModified, headers: headers) }
        guard let share = self.budget.share(picture.bytes.count) else { throw .tooManyPictures }
        let bytes = ByteBuffer(bytes: picture.bytes)
        return Response(status: .ok, headers: headers, body: ResponseBody(piecesOf: bytes, to: channel, owner: share))
    }
}

extension WebError {
    static let tooManyPictures = WebError.rateLimited("Too many pictures are asked for.", retryAfter: .seconds(2))
    static let noArtwork = WebError(.notFound, "no_artwork", "There is no picture of what plays.")
}
