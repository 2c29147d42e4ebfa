/// Which devices are wanted (SDK: `GCKDiscoveryCriteria`). Without any condition all are.
public struct DiscoveryCriteria: Sendable, Hashable {
    /// Patterns on id, name or model; when there are any, a device must fit one.
    public var include: [GlobPattern]
    /// Patterns on id, name or model; a device that fits one is left out.
    public var exclude: [GlobPattern]
    /// What a device must be able to do. One that doesn't announce its capabilities is not left out for that.
    public var capabilities: DeviceCapabilities
    /// When there are any, a device must be able to run one of these; each device is asked (receiver namespace, GET_APP_AVAILABILITY).
    public var applicationIDs: [String]
    /// What the application that runs there must speak, all of it; each device is asked, again when its announcement changes.
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

    /// Whether what the device announces fits; what it must be asked for is not looked at.
    public func matches(_ device: Device) -> Bool {
        guard device.capabilities.map({ $0.isSuperset(of: self.capabilities) }) ?? true else { return false }
        let isIncluded = self.include.isEmpty || self.include.contains { Self.fits($0, device) }
        return isIncluded && !self.exclude.contains { Self.fits($0, device) }
    }

    /// Whether devices must be asked before it is known that they are wanted.
    var needsAnswers: Bool { !self.applicationIDs.isEmpty || !self.namespaces.isEmpty }

    func matches(_ answer: DeviceInquiry.Answer) -> Bool {
        let canRun = self.applicationIDs.isEmpty || self.applicationIDs.contains { answer.availability[$0] == .available }
        return canRun && answer.namespaces.isSuperset(of: self.namespaces)
    }

    private static func fits(_ pattern: GlobPattern, _ device: Device) -> Bool {
        pattern.matches(device.id) || pattern.matches(device.friendlyName) || pattern.matches(device.modelName)
    }
}
