/// Where media of one's own are served, and from which folders.
public struct MediaOptions: Sendable, Hashable {
    /// Empty serves nothing.
    public var listen: [ListenAddress] = []
    public var folders: [MediaFolder] = []
    /// The host, and the port if it differs, by which devices reach the listener; `nil` is the address at which a device is reached.
    public var advertise: HostName?
    public var uploads = UploadOptions()

    public init() {}
}

/// A folder whose files devices may get, by the name that commands use.
public struct MediaFolder: Sendable, Hashable {
    public static let maximumCount = 32

    public let name: String
    /// Absolute.
    public let path: String

    public init(name: String, path: String) { (self.name, self.path) = (name, path) }
}

/// A file or folder below a named folder, as commands name it: `films/night-ferry.mp4`.
public struct MediaPath: Sendable, Hashable, CustomStringConvertible {
    /// The name of the folder, and the names below it.
    public let components: [String]

    public static let maximumBytes = 4096
    private static let depthLimit = 32

    /// - Returns: `nil` for a name that leads elsewhere or is hidden: `..`, an empty one, one with a control character or a leading dot.
    public init?(components: [String]) {
        guard (1...Self.depthLimit).contains(components.count), components.allSatisfy(Self.isName) else { return nil }
        self.components = components
    }

    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        self.init(components: text.split(separator: Character("/"), omittingEmptySubsequences: false).map { String($0) })
    }

    public func appending(_ names: [String]) -> MediaPath? { MediaPath(components: self.components + names) }

    /// The path of what contains it; `nil` for a named folder itself.
    public var parent: MediaPath? { MediaPath(components: Array(self.components.dropLast())) }

    /// The last name.
    public var name: String { self.components[self.components.count - 1] }

    public var description: String { self.components.joined(separator: "/") }

    public static func isName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }
}
