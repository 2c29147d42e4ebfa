import BridgeCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The route `events`: sends changes as server-sent events.
struct EventRoute: Sendable {
    let hub: EventHub

    /// How long a browser waits before it connects again, in milliseconds.
    private static let retry = ByteBuffer(string: "retry: 2000\n\n")

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("/events", for: .view) { request, context in
            let level = try request.uri.logLevel("log")
            var headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store, no-transform"]
            // Without this header nginx buffers the events.
            headers[.accelBuffering] = "no"
            // The same route answers HEAD, which must not open a stream.
            guard request.method == .get else { return Response(status: .ok, headers: headers) }
            let channel = context.channel
            // A browser that reconnects by itself sends the header; a page that was reloaded has only the query.
            let since = request.headers[.lastEventID] ?? request.uri.parameter("since")
            let id = try await self.hub.open(
                key: context.caller.limitKey, since: since, logLevel: level, isAdmitted: context.isStillAdmitted
            ) { channel.close(promise: nil) }
            return Response(status: .ok, headers: headers, body: Self.body(of: id, from: self.hub, request, channel))
        }
    }

    private static func body(
        of id: EventStreams.ID, from hub: EventHub, _ request: Request, _ channel: any Channel
    ) -> ResponseBody {
        ResponseBody { writer in
            do {
                try await withTaskExecutorPreference(StreamTaskExecutor(channel.eventLoop)) {
                    // Without this a closed connection would be noticed only when the second write fails, up to 30 seconds later.
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        try await writer.write(Self.retry)
                        while let frames = await hub.next(id) {
                            try await writer.writePieces(of: frames, to: channel) { await hub.progressed(id) }
                        }
                    } onInboundClosed: {
                        Task { await hub.leave(id) }
                    }
                }
                await hub.leave(id)
                try await writer.finish(nil)
            } catch {
                await hub.leave(id)
                throw error
            }
        }
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name(constant: "Last-Event-ID")
    static let accelBuffering = HTTPField.Name(constant: "X-Accel-Buffering")
}
