import CastModels

/// Who has which slug. A slug once given stays with its device, whatever the device is called later.
public struct SlugRegistry: Sendable, Hashable {
    private var slugs: [Device.ID: String] = [:]
    private var ids: [String: Device.ID] = [:]

    public init() {}

    /// Takes in what was stored; call it before any `assign`, so that stored devices keep theirs. Of two with one slug the first keeps it.
    public mutating func restore(_ slug: String, for id: Device.ID) {
        guard Slug.isValid(slug), self.ids[slug] == nil, self.slugs[id] == nil else { return }
        self.slugs[id] = slug
        self.ids[slug] = id
    }

    /// The slug of a device, chosen now if it has none.
    public mutating func assign(id: Device.ID, name: String) -> String {
        if let slug = self.slugs[id] { return slug }
        let wanted = Slug.make(name: name, id: id)
        var slug = wanted
        // Four digits of the id tell devices apart nearly always, all of them always, and a count even where ids themselves are slugs.
        var digits = 4
        while self.ids[slug] != nil {
            slug = digits <= 64 ? "\(wanted)-\(id.prefix(digits))" : "\(wanted)-\(id)-\(digits)"
            digits += 1
        }
        self.slugs[id] = slug
        self.ids[slug] = id
        return slug
    }

    /// The slug of a device, if it has one.
    public func slug(of id: Device.ID) -> String? { self.slugs[id] }

    /// The device that a command's `<dev>` level means: a slug, or an id with or without hyphens, in either case.
    public func device(named name: String) -> Device.ID? {
        let lowered = name.lowercased()
        if let id = self.ids[lowered] { return id }
        let id = String(lowered.filter { $0 != "-" })
        return self.slugs[id] == nil ? nil : id
    }

    /// Every slug in use.
    public var allSlugs: Set<String> { Set(self.ids.keys) }

    /// Frees the slug of a device that is gone for good.
    public mutating func remove(_ id: Device.ID) {
        if let slug = self.slugs.removeValue(forKey: id) { self.ids[slug] = nil }
    }
}
