import Foundation
import Glibc
import TestSupport

/// A flow file in the stand-in for Node-RED (`Tests/Interop/node-red`), which runs its nodes on a real broker.
final class FlowRun: Sendable {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let programs = root.appendingPathComponent("Tests/Interop/node-red")

    private let process: ChildProcess
    private let folder: String

    /// - Parameters:
    ///   - house: whose broker the flow is connected to; without one what it publishes is only recorded.
    ///   - change: what a user replaces in the file before importing it.
    init(_ name: String, in house: Household? = nil, change: (String) -> String = { $0 }) async throws {
        self.folder = NSTemporaryDirectory() + "flow-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        let text = try String(contentsOf: Self.root.appendingPathComponent("config/node-red/\(name)"), encoding: .utf8)
        try change(text).write(toFile: "\(self.folder)/flow.json", atomically: true, encoding: .utf8)
        try ShortProgram.run(["mkfifo", "\(self.folder)/orders"])
        self.process = try await ChildProcess(
            "node",
            [Self.programs.appendingPathComponent("run.js").path, "\(self.folder)/flow.json", "\(self.folder)/orders"]
                + (house.map { [$0.hosts.brokerAddress, "\($0.broker.port)"] } ?? []), namespace: house?.hosts.broker)
        try await self.process.line(containing: #""kind":"ready""#)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.folder) }

    /// The lines that it printed so far, in order: `kind`, `node`, `value`.
    var reported: [[String: Any]] {
        self.process.lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    /// How many lines there are, to look only at later ones.
    var mark: Int { self.reported.count }

    func order(_ order: [String: Any]) throws {
        let line = [UInt8](try JSONSerialization.data(withJSONObject: order)) + [UInt8(ascii: "\n")]
        // Must not block for ever when there is no reader any more.
        let pipe = open("\(self.folder)/orders", O_WRONLY | O_NONBLOCK)
        defer { close(pipe) }
        guard pipe >= 0, write(pipe, line, line.count) == line.count else {
            throw ConditionNotMet(description: "the flow takes no orders (\(errno)); it printed:\n\(self.process.text.suffix(4000))")
        }
    }

    /// Presses a button.
    /// - Returns: the mark before.
    func pressing(_ button: String) throws -> Int {
        let mark = self.mark
        try self.order(["press": button])
        return mark
    }

    func deploy() async throws {
        try self.order(["deploy": true])
        try await self.process.line(containing: #""kind":"deployed""#)
    }

    /// Waits for what one of `nodes` shows after `mark`; gives the node's name and the value.
    @discardableResult
    func shown(by nodes: String..., after mark: Int = 0, where condition: (Any) -> Bool = { _ in true }) async throws -> (
        node: String, value: Any
    ) {
        do {
            return try await eventually("\(nodes) show something") {
                for line in self.reported.dropFirst(mark) where ["debug", "shown", "published", "status"].contains(line["kind"] as? String)
                {
                    if let node = line["node"] as? String, nodes.contains(node), let value = line["value"], condition(value) {
                        return (node, value)
                    }
                }
                if let code = self.process.exitCode { throw ConditionNotMet(description: "node ended with \(code)") }
                return nil
            }
        } catch let error as ConditionNotMet {
            throw ConditionNotMet(description: "\(error.description); it printed:\n\(self.process.text.suffix(4000))")
        }
    }

    /// The mistakes of its nodes.
    var mistakes: [String] {
        self.reported.filter { $0["kind"] as? String == "mistake" }.map { "\($0["node"] ?? ""): \($0["value"] ?? "")" }
    }
}
