import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// The retained documents: all of them, the changed ones, those of one device, or a single one. Beside them the history of a device's link.
struct DocumentRoutes: Sendable {
    let bridge: any BridgeAccess
    let hub: EventHub

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("/state", for: .view) { _, context in
            .json(ResponseBody(piecesOf: try await self.hub.state(), to: context.channel))
        }
        router.get("/changes", for: .view) { request, _ in
            .json(bytes: try await self.hub.changes(since: request.uri.parameter("since")))
        }
        router.get("/devices", for: .view) { _, _ in try await self.document("bridge/devices") }
        router.get("/devices/:device", for: .view) { _, context in
            let slug = try await self.slug(context)
            let documents = try await self.hub.documents { $0.all(below: slug + "/") }
            return Response.json(bytes: EventText.changes(documents))
        }
        router.get("/devices/:device/history", for: .view) { _, context in
            let name = (context.parameters.get("device") ?? "").percentDecoded
            guard let history = await self.bridge.linkHistory(of: name) else { throw WebError.unknownDevice }
            return Response.json(.object(["entries": history.json]))
        }
        router.get("/devices/:device/**", for: .view) { _, context in
            let slug = try await self.slug(context)
            return try await self.document(([slug] + context.parameters.getCatchAll().map { $0.percentDecoded }).joined(separator: "/"))
        }
    }

    private func document(_ topic: String) async throws(WebError) -> Response {
        guard let document = try await self.hub.documents({ $0[topic] }) else {
            throw WebError(.notFound, "not_found", "There is no such document.")
        }
        return Response.json(bytes: document)
    }

    private func slug(_ context: DashboardContext) async throws(WebError) -> String {
        let name = (context.parameters.get("device") ?? "").percentDecoded
        guard let slug = try await self.hub.documents({ $0.slug(named: name) }) else { throw .unknownDevice }
        return slug
    }
}
