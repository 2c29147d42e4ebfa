import CastModels

/// The names of devices in topics and commands: each device has one slug and may have aliases. A slug stays with its device when the device
/// is renamed, unless `follow` or `choose` changes it.
///
/// A name refers to the same device as long as that device has it. A device that is found or renamed later never gets a name of another
/// one, because commands would then reach the wrong device.
public struct SlugRegistry: Sendable, Hashable {
    /// The source of slugs.
    public enum Identity: String, Sendable, Hashable, CaseIterable {
        /// The device's name when it was first found.
        case slug
        case id
    }

    /// The reason why a slug or an alias is refused.
    public enum Refusal: Error, Sendable, Hashable {
        /// It is the slug, the id or an alias of another device.
        case taken(by: Device.ID)
        /// With `Identity.id` slugs are ids.
        case slugsAreIDs
    }

    public let identity: Identity
    private var slugs: [Device.ID: String] = [:]
    private var ids: [String: Device.ID] = [:]
    private var aliases: [String: Device.ID] = [:]

    public init(identity: Identity = .slug) { self.identity = identity }

    /// Adds a stored slug. Call it before any `assign`, so that stored devices keep their slugs. Of two devices with one slug the first
    /// keeps it, and a slug of the other kind of identity is ignored.
    public mutating func restore(_ slug: String, for id: Device.ID) {
        guard Slug.isValid(slug), self.ids[slug] == nil, self.slugs[id] == nil, (slug == id) == (self.identity == .id) else { return }
        self.set(slug, for: id)
    }

    /// Returns the slug of a device, and assigns one if it has none.
    /// - Parameter isReserved: returns whether a slug is reserved for a device that has not been found yet.
    public mutating func assign(id: Device.ID, name: String, isReserved: (String) -> Bool = { _ in false }) -> String {
        if let slug = self.slugs[id] { return slug }
        let slug = self.free(self.wanted(id, name), for: id, isReserved)
        self.set(slug, for: id)
        return slug
    }

    /// Gives a device whose name has changed the slug of the new name.
    /// - Parameter isReserved: returns whether a slug is reserved for a device that has not been found yet.
    /// - Returns: the new slug; `nil` when the current one already matches the name.
    public mutating func follow(id: Device.ID, name: String, isReserved: (String) -> Bool = { _ in false }) -> String? {
        guard self.identity == .slug, let present = self.slugs[id] else { return nil }
        let wanted = self.wanted(id, name)
        // Another device may have had the plain slug when this one was first found.
        guard present != wanted, !present.hasPrefix("\(wanted)-\(id.prefix(4))") else { return nil }
        self.set(self.free(wanted, for: id, isReserved), for: id)
        return self.slugs[id]
    }

    /// Gives a device a slug that a user chose.
    public mutating func choose(_ slug: String, for id: Device.ID) throws(Refusal) {
        guard self.identity == .slug else { throw .slugsAreIDs }
        if let other = self.device(named: slug), other != id { throw .taken(by: other) }
        self.set(slug, for: id)
    }

    /// Sets the aliases of a device and replaces the previous ones.
    /// - Returns: the refused aliases, which refer to another device.
    public mutating func setAliases(_ aliases: [String], for id: Device.ID) -> [String] {
        self.aliases = self.aliases.filter { $0.value != id }
        var refused: [String] = []
        for alias in aliases {
            if let other = self.device(named: alias), other != id { refused.append(alias) } else { self.aliases[alias] = id }
        }
        return refused
    }

    public func slug(of id: Device.ID) -> String? { self.slugs[id] }

    public func owner(of slug: String) -> Device.ID? { self.ids[slug] }

    /// Returns the device that the `<dev>` level of a command names: by a slug, an alias, or an id with or without hyphens, in any case.
    ///
    /// Ids are checked last, because a device announces its own id: a device found later could announce the alias of another as its id.
    public func device(named name: String) -> Device.ID? {
        if let id = self.ids[name] { return id }
        let lowered = name.lowercased()
        if let id = self.ids[lowered] ?? self.aliases[lowered] { return id }
        let id = String(lowered.filter { $0 != "-" })
        return self.slugs[id] == nil ? nil : id
    }

    public var allSlugs: Set<String> { Set(self.ids.keys) }

    /// Removes the slug and the aliases of a device that was removed for good.
    public mutating func remove(_ id: Device.ID) {
        if let slug = self.slugs.removeValue(forKey: id) { self.ids[slug] = nil }
        self.aliases = self.aliases.filter { $0.value != id }
    }

    private func wanted(_ id: Device.ID, _ name: String) -> String {
        switch self.identity {
        case .slug: Slug.make(name: name, id: id)
        case .id: Slug.isValid(id) ? id : Slug.make(name: id, id: id)
        }
    }

    private func free(_ wanted: String, for id: Device.ID, _ isReserved: (String) -> Bool) -> String {
        var slug = wanted
        // Four digits of the id are nearly always unique, all of them always. A number is appended where ids themselves are slugs.
        var digits = 4
        while self.device(named: slug).map({ $0 != id }) ?? isReserved(slug) {
            slug = digits <= 64 ? "\(wanted)-\(id.prefix(digits))" : "\(wanted)-\(id)-\(digits)"
            digits += 1
        }
        return slug
    }

    private mutating func set(_ slug: String, for id: Device.ID) {
        if let former = self.slugs[id] { self.ids[former] = nil }
        self.slugs[id] = slug
        self.ids[slug] = id
    }
}
