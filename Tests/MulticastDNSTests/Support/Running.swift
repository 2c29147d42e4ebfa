import Logging
import MulticastDNS
import MulticastDNSAnnouncing
import NIOCore

let quiet = Logger(label: "mdns-tests", factory: { _ in SwiftLogNoOpLogHandler() })

/// Runs things that end by cancellation while `body` does its work.
func running<Result: Sendable>(
    _ runs: [@Sendable () async throws -> Void], body: () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for run in runs { group.addTask { try await run() } }
        defer { group.cancelAll() }
        return try await body()
    }
}

/// A service type that no other test, and nothing else on this machine, uses.
func uniqueServiceType() -> String { "_t\(UInt32.random(in: 0...UInt32.max))._tcp.local" }

func service(
    _ name: String, type: String, host: String? = nil, port: UInt16 = 8009,
    text: KeyValuePairs<String, String> = ["id": "1", "fn": "Küche"],
    addresses: [String]
) throws -> AnnouncedService {
    AnnouncedService(
        instanceName: name, serviceType: type, hostName: host ?? "\(name).local", port: port, text: try TXTRecord(text),
        addresses: addresses.compactMap { ServiceAddress($0) })
}
