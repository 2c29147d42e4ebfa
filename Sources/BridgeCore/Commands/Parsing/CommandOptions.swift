import CastModels

public struct CommandOptions: Sendable, Hashable {
    /// How `set/volume` reads a number with a decimal point that is at most 1.
    public enum VolumeScale: String, Sendable, Hashable, CaseIterable {
        /// Rejected: it may mean either, and the wrong one may be loud.
        case percent
        /// As a level: `0.34` is 34 percent.
        case unit
    }

    public var volumeScale = VolumeScale.percent
    /// Whether `media_request`, `receiver_request` and `raw` are allowed.
    public var isRawAllowed = false
    /// The namespaces that `ns/…` and `raw` may use.
    public var namespaces = NamespacePolicy()
    /// Whether `next` and `previous` are refused while the device does not report support for them.
    public var isStrict = false
    /// Whether commands to `<base>/all` are allowed.
    public var isFanOutEnabled = false
    /// Whether the bridge fetches the media of failed loads and of `check`.
    public var checksLoads = true
    /// Names for applications, in addition to the well-known ones.
    public var applications: [NamedApplication] = []
    /// The application of loads and launches that name none: its id or a name of it.
    public var defaultApplication = ReceiverApplication.defaultMediaReceiver
    /// The language of launches that give none (BCP 47); `nil` leaves it to the device.
    public var language = LaunchOptions().languageCode

    public init() {}

    /// Returns the ids of applications by their names in commands; names without an id are omitted.
    public func ids(ofApplications names: [String]) -> [String: String] {
        let known = ApplicationNames(self.applications)
        return Dictionary(names.compactMap { name in known.id(for: name).map { (name, $0) } }) { first, _ in first }
    }
}

public struct NamedApplication: Sendable, Hashable {
    public var name: String
    /// An application id, checked.
    public var id: String

    /// - Returns: `nil` when `id` is no application id.
    public init?(name: String, id: String) {
        guard !name.isEmpty, let id = ApplicationNames.applicationID(id) else { return nil }
        self.name = name
        self.id = id
    }
}

/// The options of one parser, prepared for lookups.
struct CommandRules: Sendable, Hashable {
    var options = CommandOptions()
    var applications = ApplicationNames()
    /// The id of `CommandOptions.defaultApplication`.
    let defaultApplication: String

    init(_ options: CommandOptions = CommandOptions()) {
        self.options = options
        self.applications = ApplicationNames(options.applications)
        self.defaultApplication = self.applications.id(for: options.defaultApplication) ?? ReceiverApplication.defaultMediaReceiver
    }

    var launchOptions: LaunchOptions { LaunchOptions(languageCode: self.options.language) }
}
