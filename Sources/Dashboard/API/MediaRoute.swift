import BridgeCore
import CastModels
import Hummingbird

/// `media`: the pages of the folders, as over MQTT, for those who may also load what they name.
struct MediaRoute: Sendable {
    let bridge: any BridgeAccess

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("/media", for: .control) { request, context in
            var payload: JSONObject = ["offset": .integer(Int64(try request.uri.integer("offset", in: 0...1_000_000) ?? 0))]
            let query = request.uri.parameter("query")
            if let query { payload.append("query", .string(query)) }
            if query == nil, let list = request.uri.parameter("list") { payload.append("list", .string(list)) }
            if query == nil, let path = request.uri.parameter("path"), !path.isEmpty { payload.append("path", .string(path)) }
            let answer = await self.bridge.perform(
                "bridge/request/media/\(query == nil ? "browse" : "search")", payload: Array(JSONWriter.string(of: .object(payload)).utf8),
                by: context.caller.limitKey)
            return Response.json(bytes: answer.body, status: CommandRoute.status(of: answer))
        }
    }
}
