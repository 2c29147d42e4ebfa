/// A kind of receiver: its announcement and its habits, which are known from real devices.
public struct DeviceModel: Sendable, Hashable {
    /// TXT `md`.
    public var name: String
    public var manufacturer = "Google Inc."
    /// TXT `ca`, a bit mask.
    public var capabilities: Int
    public var hasDisplay = false
    /// Whether the Backdrop runs when no application does; other models then report no application.
    public var hasIdleScreen = false
    /// `attenuation`, `master` or `fixed`.
    public var volumeControl = "attenuation"
    public var volumeStep = 0.05
    /// What happens to the virtual connections of an application that ends.
    public var closing: Closing
    /// Whether a launch is first answered with `LAUNCH_STATUS`, as by Android TV.
    public var announcesLaunch = false
    /// Whether the first status after a launch lacks the application's namespaces.
    public var launchesInSteps = false
    /// The `type` of the answer to `GET_DEVICE_INFO`; real devices use both.
    public var deviceInformationType = "GET_DEVICE_INFO"

    public enum Closing: Sendable, Hashable { case beforeStatus, afterStatus, never }

    public static let chromecastUltra = DeviceModel(
        name: "Chromecast Ultra", capabilities: 201_221, hasDisplay: true, hasIdleScreen: true, closing: .beforeStatus,
        launchesInSteps: true)
    public static let googleHomeMini = DeviceModel(name: "Google Home Mini", capabilities: 198_660, closing: .afterStatus)
    public static let nestHub = DeviceModel(
        name: "Google Nest Hub", capabilities: 201_221, hasDisplay: true, hasIdleScreen: true, volumeStep: 0.04, closing: .afterStatus)
    public static let nestAudio = DeviceModel(
        name: "Nest Audio", capabilities: 198_660, volumeStep: 0.02, closing: .never, launchesInSteps: true)
    public static let androidTV = DeviceModel(
        name: "BRAVIA 4K GB", manufacturer: "Sony", capabilities: 465_413, hasDisplay: true, volumeControl: "master", volumeStep: 0.01,
        closing: .never, announcesLaunch: true, deviceInformationType: "DEVICE_INFO")
    public static let group = DeviceModel(name: "Google Cast Group", capabilities: 196_644, closing: .afterStatus)

    /// Two speakers, left and right, as one device: a group with the capability bit of a multichannel group.
    public static let stereoPair = Self.group.with(capabilities: 196_644 | 0x80)
    /// A temporary group, without a lasting identity.
    public static let dynamicGroup = Self.group.with(capabilities: 196_644 | 0x40)

    /// Whether it is a stereo pair.
    public var isMultichannel: Bool { self.capabilities & 0x80 != 0 }

    /// Whether it is a temporary group.
    public var isDynamic: Bool { self.capabilities & 0x40 != 0 }

    private func with(capabilities: Int) -> DeviceModel {
        var model = self
        model.capabilities = capabilities
        return model
    }

    /// The models of a fleet, in turn.
    public static let all = [chromecastUltra, googleHomeMini, nestHub, nestAudio, androidTV]
}
