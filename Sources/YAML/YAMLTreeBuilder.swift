/// A position in a text; line and column count from 1.
struct YAMLPosition {
    var line: Int
    var column: Int
}

/// An event of libyaml, reduced to the data for a tree.
enum YAMLEvent {
    case documentStart
    case streamEnd
    case scalar(String, isPlain: Bool, anchor: String?)
    case sequence(anchor: String?)
    case mapping(anchor: String?)
    /// Ends the innermost sequence or mapping.
    case end
    case alias(String)
    case other
}

/// Builds the tree of one document from events. It does not recurse, so the depth of the text uses no stack.
struct YAMLTreeBuilder {
    /// An open collection.
    private struct Open {
        var isMapping: Bool
        var anchor: String?
        var position: YAMLPosition
        /// The elements, or alternating keys and values.
        var children: [YAMLNode] = []
    }

    private let limits: YAMLDocument.Limits
    private var open: [Open] = []
    private var anchors: [String: YAMLNode] = [:]
    private var documents = 0
    private var nodes = 0
    /// The root; `nil` until the document has a node.
    private(set) var root: YAMLNode?

    init(limits: YAMLDocument.Limits) { self.limits = limits }

    /// Adds an event. Returns whether it was the last one.
    mutating func add(_ event: YAMLEvent, at position: YAMLPosition) throws(YAMLError) -> Bool {
        switch event {
        case .streamEnd: return true
        case .other: break
        case .documentStart:
            self.documents += 1
            guard self.documents == 1 else { throw YAMLError(reason: .notYAML("there is more than one document"), line: position.line) }
        case .scalar(let text, let isPlain, let anchor):
            try self.add(.scalar(text, isPlain: isPlain), 1, 0, anchor: anchor, at: position)
        case .sequence(let anchor): try self.begin(Open(isMapping: false, anchor: anchor, position: position))
        case .mapping(let anchor): try self.begin(Open(isMapping: true, anchor: anchor, position: position))
        case .end: try self.endCollection()
        case .alias(let name):
            // An anchor becomes known at the end of its node, so no node can contain itself.
            guard let node = self.anchors[name] else { throw YAMLError(reason: .notYAML("found undefined alias"), line: position.line) }
            try self.count(node.size, at: position)
            // Aliases of aliases nest without brackets, and code that walks the tree recurses.
            guard self.open.count + node.depth <= self.limits.depth else { throw YAMLError(reason: .tooDeep, line: position.line) }
            self.place(node)
        }
        return false
    }

    private mutating func begin(_ collection: Open) throws(YAMLError) {
        guard self.open.count < self.limits.depth else { throw YAMLError(reason: .tooDeep, line: collection.position.line) }
        self.open.append(collection)
    }

    private mutating func endCollection() throws(YAMLError) {
        guard let collection = self.open.popLast() else { return }
        let children = collection.children
        let size = children.reduce(1) { $0 + $1.size }
        let depth = children.reduce(0) { max($0, $1.depth) } + 1
        guard collection.isMapping else {
            return try self.add(.sequence(children), size, depth, anchor: collection.anchor, at: collection.position)
        }
        let pairs = stride(from: 0, to: children.count - 1, by: 2).map { (key: children[$0], value: children[$0 + 1]) }
        try Self.checkKeys(pairs.map(\.key))
        try self.add(.mapping(pairs), size, depth, anchor: collection.anchor, at: collection.position)
    }

    private mutating func add(
        _ content: YAMLNode.Content, _ size: Int, _ depth: Int, anchor: String?, at position: YAMLPosition
    ) throws(YAMLError) {
        // The children of a collection are already counted.
        try self.count(1, at: position)
        let node = YAMLNode(content: content, line: position.line, column: position.column, size: size, depth: depth)
        if let anchor { self.anchors[anchor] = node }
        self.place(node)
    }

    private mutating func count(_ nodes: Int, at position: YAMLPosition) throws(YAMLError) {
        self.nodes += nodes
        guard self.nodes <= self.limits.nodes else { throw YAMLError(reason: .tooManyNodes, line: position.line) }
    }

    private mutating func place(_ node: YAMLNode) {
        if self.open.isEmpty { self.root = node } else { self.open[self.open.count - 1].children.append(node) }
    }

    /// Rejects a repeated scalar key, at the line of its first use.
    private static func checkKeys(_ keys: [YAMLNode]) throws(YAMLError) {
        var lines: [String: Int] = [:]
        var repeated: Set<String> = []
        for key in keys {
            guard let text = key.text else { continue }
            if lines[text] == nil { lines[text] = key.line } else { repeated.insert(text) }
        }
        let names = repeated.sorted()
        if let first = names.first { throw YAMLError(reason: .repeatedKeys(names), line: lines[first]) }
    }
}
