import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// The JSON API of the page and of other programs: documents, commands, pictures, the log. See `docs/API.md`.
struct DashboardAPI: DashboardRoutes {
    let bridge: any BridgeAccess
    let hub: EventHub
    /// The section `web.page` of the configuration, for the page.
    let page: JSONObject
    /// `nil` has no routes for them.
    var settings: (any SettingsAccess)?
    /// `nil` refuses them.
    var uploads: (any UploadAccess)?
    var pictures = ArtworkBudget()

    static let root = "/api/v1"

    func add(to router: Router<DashboardContext>) {
        let api = router.group(RouterPath(Self.root))
        DocumentRoutes(bridge: self.bridge, hub: self.hub).add(to: api)
        EventRoute(hub: self.hub).add(to: api)
        CommandRoute(bridge: self.bridge).add(to: api)
        MediaRoute(bridge: self.bridge).add(to: api)
        UploadRoute(uploads: self.uploads).add(to: api)
        if let settings { SettingsRoutes(settings: settings).add(to: api) }
        ArtworkRoute(bridge: self.bridge, budget: self.pictures).add(to: api)
        api.get("/log", for: .view) { request, _ in try self.log(request) }
        api.get("/history", for: .view) { request, _ in try await self.history(request) }
        api.get("/configuration", for: .admin) { _, _ in .json(.object(await self.settings?.configuration ?? self.bridge.configuration)) }
        api.get("/openapi.json", for: .view) { _, _ in .json(bytes: PackageResources.openapi_json) }
        api.get("/page", for: .view) { _, _ in .json(.object(self.page)) }
    }

    private func history(_ request: Request) async throws(WebError) -> Response {
        let limit = try request.uri.integer("limit", in: 1...1000) ?? 200
        var since = Timestamp(milliseconds: 0)
        if let text = request.uri.parameter("since") {
            guard let time = Timestamp(rfc3339: text) else { throw .badQuery("since", "a time like 2026-11-21T18:00:00Z") }
            since = time
        }
        let failed = try request.uri.integer("failed", in: 0...1) == 1
        let events = await self.bridge.history(of: request.uri.parameter("device"), since: since, failed: failed, limit: limit)
        return Response.json(.object(["events": .array(events.map { .object($0) })]))
    }

    private func log(_ request: Request) throws(WebError) -> Response {
        let level = try request.uri.logLevel("level") ?? .info
        var component: GlobPattern?
        if let filter = request.uri.parameter("filter"), !filter.isEmpty {
            component = GlobPattern(filter)
            if component == nil { throw .badQuery("filter", "a pattern of at most \(GlobPattern.maximumLength) characters") }
        }
        let lines = self.bridge.logLines(from: level, of: component).map(\.json)
        return Response.json(bytes: EventText.object([("lines", EventText.array(lines))]))
    }
}
