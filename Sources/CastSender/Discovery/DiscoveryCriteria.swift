/// The devices to report (SDK: `GCKDiscoveryCriteria`). Without any condition, all devices are reported.
public struct DiscoveryCriteria: Sendable, Hashable {
    /// Patterns for id, name or model. If there are any, a device must match at least one.
    public var include: [GlobPattern]
    /// Patterns for id, name or model. A device that matches one is ignored.
    public var exclude: [GlobPattern]
    /// The capabilities that a device must have. A device that does not announce its capabilities passes.
    public var capabilities: DeviceCapabilities
    /// If not empty, a device must be able to run one of these applications; each device is asked (receiver namespace,
    /// GET_APP_AVAILABILITY).
    public var applicationIDs: [String]
    /// The namespaces that the running application must support, all of them; each device is asked, again when its announcement changes.
    public var namespaces: [String]

    public init(
        include: [GlobPattern] = [], exclude: [GlobPattern] = [], capabilities: DeviceCapabilities = [], applicationIDs: [String] = [],
        namespaces: [String] = []
    ) {
        self.include = include
        self.exclude = exclude
        self.capabilities = capabilities
        self.applicationIDs = applicationIDs
        self.namespaces = namespaces
    }

    /// Returns whether the announced properties of the device match. Criteria that need a question to the device are not checked.
    public func matches(_ device: Device) -> Bool {
        guard device.capabilities.map({ $0.isSuperset(of: self.capabilities) }) ?? true else { return false }
        let isIncluded = self.include.isEmpty || self.include.contains { Self.fits($0, device) }
        return isIncluded && !self.exclude.contains { Self.fits($0, device) }
    }

    /// Whether devices must be asked to check the criteria.
    var needsAnswers: Bool { !self.applicationIDs.isEmpty || !self.namespaces.isEmpty }

    func matches(_ answer: DeviceInquiry.Answer) -> Bool {
        let canRun = self.applicationIDs.isEmpty || self.applicationIDs.contains { answer.availability[$0] == .available }
        return canRun && answer.namespaces.isSuperset(of: self.namespaces)
    }

    private static func fits(_ pattern: GlobPattern, _ device: Device) -> Bool {
        pattern.matches(device.id) || pattern.matches(device.friendlyName) || pattern.matches(device.modelName)
    }
}
