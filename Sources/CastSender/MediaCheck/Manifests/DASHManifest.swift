/// Reads the beginning of a DASH manifest (ISO 23009-1): the first representation of each adaptation set.
package enum DASHManifest {
    /// What an element hands on to the elements inside of it.
    private struct Level {
        var name: String
        var base: [String] = []
        var codecs = ""
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
        if tag.name == "adaptationset" { level.isDone = false }
        if let codecs = tag.attributes["codecs"] { level.codecs = codecs }
        if tag.name == "representation" { level.representation = tag.attributes }
        return level
    }

    /// Takes what an element adds to the one around it.
    private static func begin(_ tag: MarkupScan.Tag, _ levels: inout [Level], _ content: inout ManifestContent) {
        let last = levels.count - 1
        switch tag.name {
        case "baseurl": if levels[last].base.last != tag.text, levels[last].base.count < 8 { levels[last].base.append(tag.text) }
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
        let codecs = ManifestContent.codecs(level.codecs)
        if !codecs.isEmpty { content.variants.append(codecs) }
        guard let set = levels.lastIndex(where: { $0.name == "adaptationset" }), !levels[set].isDone else { return }
        levels[set].isDone = true
        content.add(self.item(of: level))
    }

    private static func item(of level: Level) -> String {
        let base = level.base.reduce("") { $1.contains("://") || $1.hasPrefix("/") ? $1 : $0 + $1 }
        guard let path = level.listed ?? level.template["initialization"] ?? level.template["media"] else { return base }
        var filled = path
        for (name, value) in [
            ("$RepresentationID$", level.representation["id"] ?? ""), ("$Bandwidth$", level.representation["bandwidth"] ?? ""),
            ("$Number$", level.template["startnumber"] ?? "1"), ("$Time$", "0"), ("$$", "$"),
        ] {
            filled = filled.split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
        }
        // A number with a width, which only segments have, is not filled in.
        guard !filled.contains("$") else { return "" }
        return filled.contains("://") || filled.hasPrefix("/") ? filled : base + filled
    }
}
