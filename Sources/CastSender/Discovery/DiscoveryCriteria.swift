/// Which devices are wanted (SDK: `GCKDiscoveryCriteria`).
public struct DiscoveryCriteria: Sendable, Hashable {
    /// Patterns on id, name or model; when there are any, a device must fit one.
    public var include: [GlobPattern]
    /// Patterns on id, name or model; a device that fits one is left out.
    public var exclude: [GlobPattern]

    public init(include: [GlobPattern] = [], exclude: [GlobPattern] = []) {
        self.include = include
        self.exclude = exclude
    }

    public func matches(_ device: Device) -> Bool {
        let isIncluded = self.include.isEmpty || self.include.contains { Self.fits($0, device) }
        return isIncluded && !self.exclude.contains { Self.fits($0, device) }
    }

    private static func fits(_ pattern: GlobPattern, _ device: Device) -> Bool {
        pattern.matches(device.id) || pattern.matches(device.friendlyName) || pattern.matches(device.modelName)
    }
}
