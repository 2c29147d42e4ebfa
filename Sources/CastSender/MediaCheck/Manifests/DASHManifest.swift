/// Reads the beginning of a DASH manifest (ISO 23009-1): the first representation of each adaptation set.
package enum DASHManifest {
    /// Most bytes of a value that is filled into a template.
    private static let valueLimit = 256
    /// Most bytes of a template.
    private static let templateLimit = 1_024
    /// Most bytes of an address.
    private static let addressLimit = 8_192

    /// The values that an element hands on to the elements inside of it.
    private struct Level {
        var name: String
        /// The first BaseURL of each element around it, resolved one against the other.
        var base = ""
        var hasOwnBase = false
        var codecs: Set<MediaCodec> = []
        var template: [String: String] = [:]
        var representation: [String: String] = [:]
        /// The initialization of a list of segments, else its first segment.
        var listed: String?
        /// Whether a representation of this adaptation set was seen.
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

    /// Ends the elements up to the innermost one of this name; all of them without a name, as a manifest that was cut needs it.
    private static func close(upTo name: String?, _ levels: inout [Level], _ content: inout ManifestContent) {
        guard name == nil || levels.dropFirst().contains(where: { $0.name == name }) else { return }
        while levels.count > 1, let last = levels.popLast() {
            self.end(last, &levels, &content)
            if last.name == name { return }
        }
    }

    /// An element's own values over those of the element around it.
    private static func level(of tag: MarkupScan.Tag, in parent: Level?) -> Level {
        var level = parent ?? Level(name: "")
        level.name = tag.name
        level.hasOwnBase = false
        if tag.name == "adaptationset" { level.isDone = false }
        if let codecs = tag.attributes["codecs"] { level.codecs = ManifestContent.codecs(codecs) }
        if tag.name == "representation" { level.representation = tag.attributes }
        return level
    }

    /// Takes what an element adds to the one around it.
    private static func begin(_ tag: MarkupScan.Tag, _ levels: inout [Level], _ content: inout ManifestContent) {
        let last = levels.count - 1
        switch tag.name {
        case "baseurl":
            // Further ones of the same element are alternatives.
            guard !levels[last].hasOwnBase else { return }
            levels[last].hasOwnBase = true
            let base = RelativeReference.resolve(tag.text, against: levels[last].base)
            if base.utf8.count <= self.addressLimit { levels[last].base = base }
        case "segmenttemplate": levels[last].template.merge(tag.attributes) { $1 }
        case "initialization":
            // Inside of a list of segments, which is inside of the representation.
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

    /// The first address of a representation; `nil` when it can't be filled in or is too long.
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

    /// Fills in a template (ISO 23009-1 section 5.3.9.4.4), once from left to right: inserted text is not read again.
    ///
    /// - Returns: `nil` for an identifier that is not known, as a number with a width is, which only segments have.
    private static func filled(_ template: String, _ values: [String: String]) -> String? {
        guard template.utf8.count <= self.templateLimit else { return nil }
        var result = ""
        // Text and identifiers take turns; the last is text.
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
