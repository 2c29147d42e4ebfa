import CYAML

/// Parses YAML 1.1 with libyaml. The only file that imports it.
///
/// Aliases are replaced by their nodes. The tags of YAML's core schema are ignored, others are errors, and `<<` is an ordinary key.
package enum YAMLDocument {
    /// Limits that keep a small text from using much stack or memory.
    package struct Limits: Sendable {
        /// The deepest nesting of collections.
        package var depth: Int
        /// The largest number of nodes; nodes behind aliases count at each alias.
        package var nodes: Int

        package init(depth: Int, nodes: Int) { (self.depth, self.nodes) = (depth, nodes) }
    }

    /// Returns the root of the only document in `bytes`, which is UTF-8 text; `nil` when there is none.
    package static func parse(_ bytes: [UInt8], limits: Limits) throws(YAMLError) -> YAMLNode? {
        // With a stated encoding, libyaml treats a byte order mark as a character of the first line.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        if bytes.isEmpty { return nil }
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { throw YAMLError(reason: .notYAML("out of memory")) }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        return try bytes.withUnsafeBufferPointer { (input) throws(YAMLError) -> YAMLNode? in
            // libyaml keeps this pointer, and reads from it only during `next`.
            yaml_parser_set_input_string(parser, input.baseAddress, input.count)
            var builder = YAMLTreeBuilder(limits: limits)
            while true {
                let (event, position) = try self.next(parser)
                if try builder.add(event, at: position) { return builder.root }
            }
        }
    }

    /// Returns the next event, copied into Swift values.
    private static func next(_ parser: UnsafeMutablePointer<yaml_parser_t>) throws(YAMLError) -> (YAMLEvent, YAMLPosition) {
        var raw = yaml_event_t()
        guard yaml_parser_parse(parser, &raw) == 1 else { throw self.error(parser) }
        defer { yaml_event_delete(&raw) }
        let position = YAMLPosition(line: Int(clamping: raw.start_mark.line) + 1, column: Int(clamping: raw.start_mark.column) + 1)
        switch raw.type {
        case YAML_ALIAS_EVENT: return (.alias(self.text(raw.data.alias.anchor) ?? ""), position)
        case YAML_SCALAR_EVENT:
            let scalar = raw.data.scalar
            try self.check(scalar.tag, at: position)
            // A scalar may contain NUL, so its length is used and not the end of a C string.
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return (.scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE, anchor: self.text(scalar.anchor)), position)
        case YAML_SEQUENCE_START_EVENT:
            try self.check(raw.data.sequence_start.tag, at: position)
            return (.sequence(anchor: self.text(raw.data.sequence_start.anchor)), position)
        case YAML_MAPPING_START_EVENT:
            try self.check(raw.data.mapping_start.tag, at: position)
            return (.mapping(anchor: self.text(raw.data.mapping_start.anchor)), position)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return (.end, position)
        case YAML_DOCUMENT_START_EVENT: return (.documentStart, position)
        case YAML_STREAM_END_EVENT: return (.streamEnd, position)
        default: return (.other, position)
        }
    }

    /// Refuses a tag that would need another program to give the value, such as `!secret` or `!env_var`.
    private static func check(_ tag: UnsafeMutablePointer<yaml_char_t>?, at position: YAMLPosition) throws(YAMLError) {
        guard let tag = self.text(tag), tag != "!" else { return }
        let core = ["str", "int", "float", "bool", "null", "seq", "map"].map { "tag:yaml.org,2002:\($0)" }
        guard core.contains(tag) else {
            throw YAMLError(reason: .notYAML("found the unknown tag \(tag); write the value itself"), line: position.line)
        }
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? { pointer.map { String(cString: $0) } }

    private static func error(_ parser: UnsafeMutablePointer<yaml_parser_t>) -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "out of memory"
        // The reader fails ahead of the parser and provides a byte offset, but no line.
        let isPlaced = parser.pointee.error == YAML_SCANNER_ERROR || parser.pointee.error == YAML_PARSER_ERROR
        // In brackets its scanner reads ahead, up to its own depth limit (1 000), before the first of them becomes an event.
        let isTooDeep = problem.contains("nesting level")
        return YAMLError(
            reason: isTooDeep ? .tooDeep : .notYAML(problem), line: isPlaced ? Int(clamping: parser.pointee.problem_mark.line) + 1 : nil)
    }
}
