import BridgeCore
import CastSender

/// The file of the history: one event as a line of JSON, the oldest first. Its methods wait for the disk.
struct HistoryFile: Sendable {
    static let name = "history.jsonl"
    /// The largest file, in bytes. The oldest lines go, a quarter at a time.
    static let byteLimit = 4 << 20

    let directory: StateDirectory
    let days: Int

    /// Appends events; first removes what is too old or too much.
    /// - Parameter removesOld: whether to look for events that are too old.
    func append(_ events: [JSONObject], now: Timestamp, removesOld: Bool) -> StateDirectory.Problem? {
        var bytes: [UInt8] = []
        for event in events { bytes += JSONWriter.bytes(of: .object(event)) + [UInt8(ascii: "\n")] }
        do throws(StateDirectory.Problem) {
            let size = self.directory.size(of: Self.name)
            if removesOld || size + bytes.count > Self.byteLimit { try self.shorten(now: now) }
            try self.directory.append(Self.name, bytes)
            return nil
        } catch { return error }
    }

    private func shorten(now: Timestamp) throws(StateDirectory.Problem) {
        guard let contents = try self.directory.read(Self.name) else { return }
        let start = self.start(now: now)
        var kept = Self.lines(contents.bytes).filter { line in Self.time(Self.event(line)).map { $0 >= start } ?? false }
        var size = kept.reduce(0) { $0 + $1.count + 1 }
        if size > Self.byteLimit * 3 / 4 {
            kept = Array(
                kept.drop { line in
                    defer { size -= line.count + 1 }
                    return size > Self.byteLimit * 3 / 4
                })
        }
        let bytes = kept.flatMap { $0 + [UInt8(ascii: "\n")] }
        if bytes.count != contents.bytes.count { try self.directory.write(Self.name, bytes) }
    }

    /// When the kept days begin.
    func start(now: Timestamp) -> Timestamp { now.adding(seconds: -Double(self.days) * 86_400) }

    /// Returns the newest events that match, the newest first.
    /// - Parameter known: events that may have been written since they were read elsewhere.
    func events(newest limit: Int, except known: [JSONObject] = [], where matches: (JSONObject) -> Bool) -> [JSONObject] {
        let known = Set(known.map { JSONWriter.bytes(of: .object($0)) })
        let lines = Self.lines((try? self.directory.read(Self.name))?.bytes ?? []).reversed()
        return Array(lines.lazy.filter { !known.contains(Array($0)) }.compactMap(Self.event).filter(matches).prefix(limit))
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "\n")) }

    /// - Returns: `nil` for a line that a killed process left unfinished.
    private static func event(_ line: ArraySlice<UInt8>) -> JSONObject? { (try? JSONParser.parse(Array(line)))?.objectValue }

    static func time(_ event: JSONObject?) -> Timestamp? { event?["ts"]?.stringValue.flatMap { Timestamp(rfc3339: $0) } }
}
