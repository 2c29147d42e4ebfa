import Foundation
import Glibc
import TestSupport

/// The control socket of a running `cast-simulator`.
struct SimulatorControl: Sendable {
    let path: String

    /// Sends one request and gives the answer; a refusal is an error.
    @discardableResult
    func send(_ request: [String: any Sendable]) async throws -> [String: Any] {
        let line = try JSONSerialization.data(withJSONObject: request)
        let answer = try self.exchange([UInt8](line) + [UInt8(ascii: "\n")])
        guard let object = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any], object["ok"] as? Bool == true else {
            throw ConditionNotMet(description: "\(request) was answered: \(String(decoding: answer, as: UTF8.self))")
        }
        return object
    }

    /// The state of a device on the control socket, whatever it reports to senders.
    func state(_ device: String) async throws -> [String: Any] {
        try await self.send(["device": device, "do": "state"])["state"] as? [String: Any] ?? [:]
    }

    /// A device or group as `list` shows it.
    func devices() async throws -> [[String: Any]] { try await self.send(["do": "list"])["devices"] as? [[String: Any]] ?? [] }

    /// The simulator answers within milliseconds, so the calling thread may wait.
    private func exchange(_ request: [UInt8]) throws -> [UInt8] {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw ConditionNotMet(description: "no socket: \(errno)") }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard connected == 0, write(descriptor, request, request.count) == request.count else {
            throw ConditionNotMet(description: "\(self.path) can't be reached: \(errno)")
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while answer.last != UInt8(ascii: "\n") {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { throw ConditionNotMet(description: "\(self.path) hung up") }
            answer.append(contentsOf: chunk[..<count])
        }
        return answer
    }
}
