import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// `settings`: what the program's configuration is, where each value comes from, and what a person may choose.
struct SettingsRoutes: Sendable {
    let settings: any SettingsAccess

    /// The largest body, in bytes: a list of devices with their choices.
    static let maximumBodyBytes = 65_536

    func add(to router: RouterGroup<DashboardContext>) {
        router.get("/settings", for: .admin) { _, _ in .json(.object(await self.settings.settings())) }
        router.get("/brokers", for: .admin) { _, _ in .json(["brokers": .array(await self.settings.brokers())]) }
        router.post("/settings") { request, context in
            try context.require(.admin)
            let body = try await self.body(request)
            guard let changes = (try? JSONParser.parse(body))?.objectValue, !changes.isEmpty else {
                throw WebError(.badRequest, "bad_payload", "The body must be an object of keys and values.")
            }
            let triesBroker = request.uri.parameter("untried") != "1"
            return try await self.change(changes.members.map { ($0.key, $0.value) }, triesBroker: triesBroker)
        }
        router.delete("/settings/:key") { _, context in
            try context.require(.admin)
            return try await self.change([(try context.parameters.require("key"), nil)], triesBroker: false)
        }
    }

    private func body(_ request: Request) async throws -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: Self.maximumBodyBytes).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw WebError.tooLarge
        }
    }

    private func change(_ changes: [(key: String, value: JSONValue?)], triesBroker: Bool) async throws(WebError) -> Response {
        do {
            return .json(.object(try await self.settings.change(changes, triesBroker: triesBroker)))
        } catch {
            throw WebError(.badRequest, error.code, error.message)
        }
    }
}
