import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// `media/uploads`: takes a file that devices can then play. The body is its bytes, stored as they arrive.
struct UploadRoute: Sendable {
    let uploads: (any UploadAccess)?

    static let path = "\(DashboardAPI.root)/media/uploads"

    func add(to router: RouterGroup<DashboardContext>) {
        router.post("/media/uploads") { request, context -> Response in
            try context.require(.control)
            guard let uploads else {
                throw WebError(
                    .unprocessableContent, "not_supported",
                    "Files can't be taken: set media.listen and a state directory, and media.uploads.file_bytes above 0.")
            }
            guard let name = request.uri.parameter("name"), (1...1000).contains(name.utf8.count) else {
                throw WebError.badQuery("name", "the name of the file")
            }
            let channel = context.channel
            let body = UploadBody(
                body: request.body, channel: channel, isWaiting: request.headers[.expect]?.lowercased() == "100-continue")
            let length = request.headers[.contentLength].flatMap { Int($0) }
            let file: UploadedFile
            do { file = try await uploads.store(body, named: name, length: length) } catch let refusal as UploadRefusal {
                throw Self.error(refusal)
            }
            return Response.json(
                [
                    "id": .string(file.path.description), "content_type": .string(file.contentType), "size": .integer(Int64(file.size)),
                ], status: .created)
        }
    }

    private static func error(_ refusal: UploadRefusal) -> WebError {
        switch refusal {
        case .tooLarge(let limit):
            WebError(.contentTooLarge, "too_large", "A file may have at most \(limit) bytes (media.uploads.file_bytes, total_bytes).")
        case .noMedium: WebError(.unprocessableContent, "not_playable", "The file is no medium, picture, playlist or subtitle.")
        case .tooMany: .rateLimited("Other files are arriving.", retryAfter: .seconds(5))
        case .notStored(let reason): WebError(HTTPResponse.Status(code: 507), "not_stored", reason)
        }
    }
}

/// A body that may take long. A client that waits to send it gets leave when the first bytes are asked for, which is when it is admitted.
private struct UploadBody: AsyncSequence, Sendable {
    let body: RequestBody
    let channel: any Channel
    let isWaiting: Bool

    func makeAsyncIterator() -> Iterator {
        if self.isWaiting { self.channel.triggerUserOutboundEvent(RequestHeadHandler.BodyWanted(), promise: nil) }
        return Iterator(parts: self.body.makeAsyncIterator(), channel: self.channel)
    }

    struct Iterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator
        let channel: any Channel

        mutating func next() async throws -> [UInt8]? {
            let part = try await self.parts.next()
            let event = part.map { ConnectionClock.Event.bodyPart($0.readableBytes) } ?? .bodyRead
            self.channel.triggerUserOutboundEvent(event, promise: nil)
            return part.map { Array($0.readableBytesView) }
        }
    }
}
