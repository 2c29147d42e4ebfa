import BridgeCore
import CastModels

/// Pages of what there is in the named folders. Its methods read from disks and may block.
package struct MediaListing: Sendable {
    /// The bytes of one page, far enough below the 64 kB of a message for what surrounds it.
    private static let pageBytes = 48_000
    private static let pageLimit = 200
    private static let visitLimit = 20_000
    private static let resultLimit = 1_000
    private static let searchTime = Duration.seconds(3)

    private let folders: MediaFolders

    package init(_ folders: MediaFolders) { self.folders = folders }

    /// Returns a page of a folder, or of the named folders: first folders, then media, in natural order.
    /// - Returns: `nil` when there is no such folder.
    package func page(of path: MediaPath?, from offset: Int) -> JSONObject? {
        guard let path else {
            return Self.page(self.folders.folders.compactMap { MediaPath($0.name) }.flatMap { Self.rows($0) }, from: offset)
        }
        guard let entries = self.folders.entries(of: path) else { return nil }
        let rows = (entries.filter(\.isFolder) + entries.filter { !$0.isFolder }).flatMap { entry in
            path.appending([entry.name]).map { Self.rows($0, entry) } ?? []
        }
        var page = Self.page(rows, from: offset)
        page.append("path", .string(path.description))
        return page
    }

    /// Returns a page of the rows, folders and media whose name has all words of the query, in any case.
    package func search(_ query: String, among rows: [JSONValue] = [], from offset: Int) -> JSONObject {
        let words = query.lowercased().split(separator: " ")
        let end = ContinuousClock.now + Self.searchTime
        func matches(_ name: String) -> Bool {
            let name = name.lowercased()
            return words.allSatisfy { name.contains($0) }
        }
        var (rows, visited) = (rows.filter { matches($0["name"]?.stringValue ?? "") }, 0)
        var waiting = self.folders.folders.compactMap { MediaPath($0.name) }[...]
        while let folder = waiting.popFirst(), rows.count < Self.resultLimit, visited < Self.visitLimit, ContinuousClock.now < end {
            for entry in self.folders.entries(of: folder) ?? [] {
                visited += 1
                guard let path = folder.appending([entry.name]) else { continue }
                if entry.isFolder { waiting.append(path) }
                if matches(entry.name) { rows += Self.rows(path, entry) }
            }
        }
        var page = Self.page(rows, from: offset)
        page.append("complete", .bool(waiting.isEmpty))
        return page
    }

    /// - Parameter entry: `nil` for a named folder.
    /// - Returns: nothing for a file whose name is not that of a medium.
    private static func rows(_ path: MediaPath, _ entry: MediaFolders.Entry? = nil) -> [JSONValue] {
        var row: JSONObject = ["name": .string(path.name), "path": .string(path.description)]
        row.append("kind", entry?.isFolder == false ? "file" : "folder")
        guard let entry, !entry.isFolder else { return [.object(row)] }
        guard ContentType.isMedium(path.name) else { return [] }
        row.append("content_type", ContentType.guess(name: path.name).map { .string($0) } ?? .null)
        row.append("size", .integer(Int64(entry.size)))
        return [.object(row)]
    }

    package static func page(_ rows: [JSONValue], from offset: Int) -> JSONObject {
        var (page, bytes): ([JSONValue], Int) = ([], 0)
        for row in rows.dropFirst(offset).prefix(self.pageLimit) {
            bytes += JSONWriter.string(of: row).utf8.count + 1
            if bytes > self.pageBytes { break }
            page.append(row)
        }
        let next = offset + page.count
        return [
            "entries": .array(page), "offset": .integer(Int64(offset)), "total": .integer(Int64(rows.count)),
            "next": next < rows.count && !page.isEmpty ? .integer(Int64(next)) : .null,
        ]
    }
}
