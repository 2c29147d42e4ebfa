/// The capabilities that a device announces: the bit mask of the TXT key `ca` (openscreen `cast/common/public/receiver_info.h`).
public struct DeviceCapabilities: OptionSet, Sendable, Hashable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let videoOut = Self(rawValue: 1 << 0)
    public static let videoIn = Self(rawValue: 1 << 1)
    public static let audioOut = Self(rawValue: 1 << 2)
    public static let audioIn = Self(rawValue: 1 << 3)
    public static let developmentMode = Self(rawValue: 1 << 4)
    public static let multizoneGroup = Self(rawValue: 1 << 5)
    public static let dynamicGroup = Self(rawValue: 1 << 6)
    public static let multichannelGroup = Self(rawValue: 1 << 7)
    public static let multichannelMember = Self(rawValue: 1 << 8)
    public static let masterOrFixedVolume = Self(rawValue: 1 << 11)
    public static let attenuationOrFixedVolume = Self(rawValue: 1 << 12)
    public static let dynamicGrouping = Self(rawValue: 1 << 16)

    /// The bits with a name, lowest first, and their names in topics.
    public static let named: [(capability: Self, name: String)] = [
        (.videoOut, "video_out"), (.videoIn, "video_in"), (.audioOut, "audio_out"), (.audioIn, "audio_in"),
        (.developmentMode, "development_mode"), (.multizoneGroup, "multizone_group"), (.dynamicGroup, "dynamic_group"),
        (.multichannelGroup, "multichannel_group"), (.multichannelMember, "multichannel_member"),
        (.masterOrFixedVolume, "master_or_fixed_volume"), (.attenuationOrFixedVolume, "attenuation_or_fixed_volume"),
        (.dynamicGrouping, "multizone"),
    ]

    /// The names of the set bits, lowest bit first. Bits without a name are left out.
    public var names: [String] { Self.named.filter { self.contains($0.capability) }.map(\.name) }
}
