import CastModels

/// Which devices a bridge looks after: globs on id, name or model.
public struct DeviceFilter: Sendable, Hashable {
    /// Empty takes every device in.
    public var include: [GlobPattern]
    /// Beats `include`.
    public var exclude: [GlobPattern]

    public init(include: [GlobPattern] = [], exclude: [GlobPattern] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// Whether this device is one of ours.
    public func accepts(id: Device.ID, name: String, model: String) -> Bool {
        let matches = { (glob: GlobPattern) in glob.matches(id) || glob.matches(name) || glob.matches(model) }
        return (self.include.isEmpty || self.include.contains(where: matches)) && !self.exclude.contains(where: matches)
    }
}
