/// Reads the beginning of a DASH manifest (ISO 23009-1): the first representation of each adaptation set.
package enum DASHManifest {
    /// The largest value that is inserted into a template, in bytes.
    private static let valueLimit = 256
    /// The largest template, in bytes.
    private static let templateLimit = 1_024
    /// The largest address, in bytes.
    private static let addressLimit = 8_192

    /// The values that an element passes to the elements inside it.
    private struct Level {
        var name: String
        /// The first BaseURL of each enclosing element, resolved one against the other.
        var base = ""
        var hasOwnBase = false
        var codecs: Set<MediaCodec> = []
        var template: [String: String] = [:]
        var representation: [String: String] = [:]
        /// The initialization of a list of segments, else its first segment.
        var listed: String?
        /// Whether a representation of this adaptation set was read.
        var isDone = false
    }

    package static func read(_ bytes: [UInt8]) -> ManifestContent {
        var content = ManifestContent()
        var levels = [Level(name: "")]
        var scan = MarkupScan(bytes)
        while let tag = scan.next(), levels.count < 32 {
            if tag.isEnd {
                self.close(upTo: tag.name, &levels, &content)
                continue
            }
            guard !tag.name.hasPrefix("?"), !tag.name.hasPrefix("!") else { continue }
            self.begin(tag, &levels, &content)
            let level = self.level(of: tag, in: levels.last)
            if tag.isEmpty { self.end(level, &levels, &content) } else { levels.append(level) }
        }
        self.close(upTo: nil, &levels, &content)
        return content
    }

    /// Closes the elements up to the innermost one with this name. Without a name it closes all, which a truncated manifest needs.
    private static func close(upTo name: String?, _ levels: inout [Level], _ content: inout ManifestContent) {
        guard name == nil || levels.dropFirst().contains(where: { $0.name == name }) else { return }
        while levels.count > 1, let last = levels.popLast() {
            self.end(last, &levels, &content)
            if last.name == name { return }
        }
    }

    /// Returns the values of an element, with missing ones from the enclosing element.
    private static func level(of tag: MarkupScan.Tag, in parent: Level?) -> Level {
        var level = parent ?? Level(name: "")
        level.name = tag.name
        level.hasOwnBase = false
        if tag.name == "adaptationset" { level.isDone = false }
        if let codecs = tag.attributes["codecs"] { level.codecs = ManifestContent.codecs(codecs) }
        if tag.name == "representation" { level.representation = tag.attributes }
        return level
    }

    /// Handles a tag that adds to the enclosing element.
    private static func begin(_ tag: MarkupScan.Tag, _ levels: inout [Level], _ content: inout ManifestContent) {
        let last = levels.count - 1
        switch tag.name {
        case "baseurl":
            // Further BaseURL elements of the same parent are alternatives.
            guard !levels[last].hasOwnBase else { return }
            levels[last].hasOwnBase = true
            let base = RelativeReference.resolve(tag.text, against: levels[last].base)
            if base.utf8.count <= self.addressLimit { levels[last].base = base }
        case "segmenttemplate": levels[last].template.merge(tag.attributes) { $1 }
        case "initialization":
            // This element is inside a list of segments, which is inside the representation.
            for index in levels.indices.suffix(2) { levels[index].listed = levels[index].listed ?? tag.attributes["sourceurl"] }
        case "segmenturl": for index in levels.indices.suffix(2) { levels[index].listed = levels[index].listed ?? tag.attributes["media"] }
        case "contentprotection": content.isProtected = true
        default: break
        }
    }

    private static func end(_ level: Level, _ levels: inout [Level], _ content: inout ManifestContent) {
        guard level.name == "representation" else { return }
        content.isEmpty = false
        content.add(variant: level.codecs)
        guard let set = levels.lastIndex(where: { $0.name == "adaptationset" }), !levels[set].isDone else { return }
        levels[set].isDone = true
        if !content.isFull, let item = self.item(of: level) { content.add(item) }
    }

    /// Returns the first address of a representation; `nil` when its template cannot be filled in or the address is too long.
    private static func item(of level: Level) -> String? {
        guard let path = level.listed ?? level.template["initialization"] ?? level.template["media"] else { return level.base }
        let values = [
            "": "$", "RepresentationID": level.representation["id"] ?? "", "Bandwidth": level.representation["bandwidth"] ?? "",
            "Number": level.template["startnumber"] ?? "1", "Time": "0",
        ]
        guard let filled = self.filled(path, values) else { return nil }
        let item = RelativeReference.resolve(filled, against: level.base)
        return item.utf8.count <= self.addressLimit ? item : nil
    }

    /// Fills in a template (ISO 23009-1 section 5.3.9.4.4) in one pass, so that inserted text is not interpreted again.
    ///
    /// - Returns: `nil` for an unknown identifier, such as a number with a width, which only segments have.
    private static func filled(_ template: String, _ values: [String: String]) -> String? {
        guard template.utf8.count <= self.templateLimit else { return nil }
        var result = ""
        // Text and identifiers alternate; the last part is text.
        let parts = template.split(separator: "$", omittingEmptySubsequences: false)
        guard !parts.count.isMultiple(of: 2) else { return nil }
        for (index, part) in parts.enumerated() {
            if index.isMultiple(of: 2) {
                result += part
            } else {
                guard let value = values[String(part)], value.utf8.count <= self.valueLimit else { return nil }
                result += value
            }
        }
        return result
    }
}
