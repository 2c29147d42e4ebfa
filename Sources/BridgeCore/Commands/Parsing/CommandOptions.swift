import CastModels

/// What a user allows and names, as far as commands depend on it.
package struct CommandOptions: Sendable, Hashable {
    /// How `set/volume` reads a number with a point that is at most 1.
    package enum VolumeScale: String, Sendable, Hashable, CaseIterable {
        /// Not at all: it may be meant as either, and a wrong guess is loud.
        case percent
        /// As a level: `0.34` is 34 percent.
        case unit
    }

    package var volumeScale = VolumeScale.percent
    /// Whether `media_request`, `receiver_request` and `raw` are obeyed.
    package var isRawAllowed = false
    /// The namespaces that `ns/…` and `raw` may use.
    package var namespaces = NamespacePolicy()
    /// Whether `next` and `previous` are refused while the device doesn't announce them.
    package var isStrict = false
    /// Whether commands to `<base>/all` are obeyed.
    package var isFanOutEnabled = false
    /// Whether the bridge fetches what a load that failed named, and what `check` names.
    package var checksLoads = true
    /// Names for applications, besides the well-known ones.
    package var applications: [NamedApplication] = []

    package init() {}

    /// Returns the ids of applications by their names, as commands understand them; names without an id are left out.
    package func ids(ofApplications names: [String]) -> [String: String] {
        let known = ApplicationNames(self.applications)
        return Dictionary(names.compactMap { name in known.id(for: name).map { (name, $0) } }) { first, _ in first }
    }
}

/// An application and what a user calls it.
package struct NamedApplication: Sendable, Hashable {
    package var name: String
    /// An application id, checked.
    package var id: String

    /// - Returns: `nil` when `id` is no application id.
    package init?(name: String, id: String) {
        guard !name.isEmpty, let id = ApplicationNames.applicationID(id) else { return nil }
        self.name = name
        self.id = id
    }
}

/// What one parser goes by: the options, made ready for looking up.
struct CommandRules: Sendable, Hashable {
    var options = CommandOptions()
    var applications = ApplicationNames()

    init(_ options: CommandOptions = CommandOptions()) {
        self.options = options
        self.applications = ApplicationNames(options.applications)
    }
}
