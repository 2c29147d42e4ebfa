/// The volume of a device.
public struct Volume: Sendable, Hashable {
    /// The level, 0 to 1, with the precision of the 32-bit float that real devices report.
    public var level: Double { didSet { self.level = Self.quantised(self.level) } }
    public var isMuted: Bool

    public init(level: Double, isMuted: Bool = false) {
        self.level = Self.quantised(level)
        self.isMuted = isMuted
    }

    private static func quantised(_ level: Double) -> Double { Double(Float(min(max(level, 0), 1))) }

    /// The members `level` and `muted` of a status.
    var json: JSON { ["level": .number(self.level), "muted": .bool(self.isMuted)] }
}

/// A requested change of volume, as in `SET_VOLUME`; `nil` means unchanged.
public struct VolumeChange: Sendable, Hashable {
    /// The level, 0 to 1; other values are clamped.
    public var level: Double?
    public var isMuted: Bool?

    public init(level: Double? = nil, isMuted: Bool? = nil) { (self.level, self.isMuted) = (level, isMuted) }

    /// Reads the change; `nil` unless the object has a level or a mute state of the right type.
    init?(_ volume: JSON?) {
        guard let volume, volume.isObject else { return nil }
        if let level = volume["level"], level.double == nil { return nil }
        if let muted = volume["muted"], muted.boolean == nil { return nil }
        self.init(level: volume["level"]?.double, isMuted: volume["muted"]?.boolean)
        if self.level == nil, self.isMuted == nil { return nil }
    }

    func applied(to volume: Volume) -> Volume {
        var volume = volume
        if let level { volume.level = level }
        if let isMuted { volume.isMuted = isMuted }
        return volume
    }
}
