import NIOCore

/// Assembles the records of all interfaces to services, and determines the missing ones (RFC 6763 sections 4 to 6).
struct ServiceAssembler {
    let serviceType: DNSName
    private let limits: Limits
    private var links: [InterfaceScope: Link] = [:]
    private var instances: [DNSName: Instance] = [:]
    private var instancesOfHost: [DNSName: Set<DNSName>] = [:]
    /// The instances with a pending question or grace period; only these depend on time.
    private var unsettled: Set<DNSName> = []
    /// Nothing is due for any of them before this time. It may be too early, and is computed again only when it has passed, not for each packet.
    private var nextUnsettled: NIODeadline?

    private struct Link {
        var cache: RecordCache
        var isActive = true
    }

    private struct Instance {
        /// The name, in the case in which it was first received.
        let name: DNSName
        var reported: DiscoveredService?
        var host: DNSName?
        /// The pending questions for missing records; `nil` when the service is complete.
        var chase: QueryBackoff?
        /// When a reported service that has become incomplete is removed.
        var givenUpAt: NIODeadline?
        /// The number of questions for an IPv4 address of a host with IPv6 addresses.
        var ipv4Attempts = 0

        /// When its question or the end of its grace period is due.
        var nextEvent: NIODeadline? { [self.chase?.next, self.givenUpAt].compactMap { $0 }.min() }
    }

    /// How long a reported service with a missing part, such as its new host's address, is kept while the part is requested.
    static let incompleteGrace = TimeAmount.seconds(5)
    /// How long records of an interface that was removed, or moved to another network, are kept unless received again.
    static let lostLinkGrace = TimeAmount.seconds(10)
    /// The pause before missing records are requested, because the answers to a query arrive in many packets.
    static let chaseDelay = TimeAmount.milliseconds(20)
    /// How often a service with only IPv6 addresses is asked for an IPv4 address.
    static let ipv4Attempts = 3

    init(serviceType: DNSName, limits: Limits) { (self.serviceType, self.limits) = (serviceType, limits) }

    /// The number of complete and reported services.
    var serviceCount: Int { self.instances.values.count { $0.reported != nil } }

    mutating func addLink(_ scope: InterfaceScope) {
        self.links[scope, default: Link(cache: RecordCache(limits: self.limits))].isActive = true
    }

    /// Removes a link; its records are kept for `lostLinkGrace`.
    mutating func removeLink(_ scope: InterfaceScope, now: NIODeadline) {
        self.links[scope]?.isActive = false
        self.doubtLink(scope, now: now)
    }

    /// Marks the records of a link as doubtful, because it may be in another network: those not received again within `lostLinkGrace` are
    /// removed.
    mutating func doubtLink(_ scope: InterfaceScope, now: NIODeadline) {
        self.links[scope]?.cache.limitExpiry(to: now + Self.lostLinkGrace)
    }

    /// - Parameters:
    ///   - isOneShot: whether it answers a one-shot query, whose TTLs are capped and must not shorten known ones.
    ///   - random: for the jitter of refreshes.
    mutating func receive(
        _ message: DNSMessage, on scope: InterfaceScope, isOneShot: Bool = false, now: NIODeadline, random: (ClosedRange<Double>) -> Double
    ) -> [ServiceChange] {
        guard message.flags.isResponse, message.isUsable, self.links[scope] != nil else { return [] }
        var touched = Touched()
        let records = message.answers + message.additionals
        // Addresses last, because they are kept only for hosts that a record refers to.
        for record in records where !record.isAddress { self.insert(record, scope, isOneShot, now, random, &touched) }
        for record in records where record.isAddress { self.insert(record, scope, isOneShot, now, random, &touched) }
        return self.report(touched, now: now)
    }

    /// The names whose records a packet or the time has changed; the value is whether they were received.
    private struct Touched {
        var instances: [DNSName: Bool] = [:]
        var hosts: [DNSName: Bool] = [:]
        /// The hosts that the packet's SRV records refer to.
        var targets: Set<DNSName> = []
    }

    private mutating func insert(
        _ record: ResourceRecord, _ scope: InterfaceScope, _ isOneShot: Bool, _ now: NIODeadline, _ random: (ClosedRange<Double>) -> Double,
        _ touched: inout Touched
    ) {
        var capacity = self.limits.recordsPerName
        switch record.data {
        case .ptr(let target):
            guard record.name == self.serviceType, self.isInstance(target) else { return }
            guard self.instances[target] != nil || self.instances.count < self.limits.services else { return }
            capacity = self.limits.services
        case .srv, .txt:
            guard record.name.isChild(of: self.serviceType) else { return }
        case .a, .aaaa:
            guard scope.isLoopback || ServiceAddress(record.data, scope: scope)?.isOfOneHost == true else { return }
            let isHalfFull = (self.links[scope]?.cache.nameCount ?? 0) * 2 >= self.limits.names
            guard !isHalfFull || self.instancesOfHost[record.name] != nil || touched.targets.contains(record.name) else { return }
        case .nsec, .unknown:
            return
        }
        let insertion = self.links[scope]?.cache.insert(
            record, capacity: capacity, now: now, jitter: random(0...0.02), mayShorten: !isOneShot)
        guard let insertion, insertion != .ignored else { return }
        let wasReceived = insertion != .goodbye
        switch record.data {
        case .ptr(let target):
            if wasReceived, self.instances[target] == nil { self.instances[target] = Instance(name: target) }
            touched.instances[target] = touched.instances[target] == true || wasReceived
        case .srv, .txt:
            if case .srv(let location) = record.data { touched.targets.insert(location.target) }
            touched.instances[record.name] = touched.instances[record.name] == true || wasReceived
        case .a, .aaaa, .nsec, .unknown:
            touched.hosts[record.name] = touched.hosts[record.name] == true || wasReceived
        }
    }

    /// Returns whether the name has exactly one label above the type. Enumerations of sub-types (`_hash._sub.<type>`) are not instances,
    /// nor are labels that imitate them.
    private func isInstance(_ target: DNSName) -> Bool {
        target.isChild(of: self.serviceType) && !String(decoding: target.firstLabel, as: UTF8.self).hasSuffix("._sub")
    }

    /// Applies the current time: expiry, and the end of grace periods.
    /// - Returns: the changes, and the questions that refresh records, for each active interface.
    mutating func advance(to now: NIODeadline) -> (changes: [ServiceChange], refreshes: [InterfaceScope: [Question]]) {
        var touched = Touched()
        var refreshes: [InterfaceScope: [Question]] = [:]
        for scope in self.links.keys.sorted() {
            guard var link = self.links[scope] else { continue }
            let (expired, due) = link.cache.advance(to: now, isWanted: self.isWanted)
            self.links[scope] = link.isActive || !link.cache.isEmpty ? link : nil
            if link.isActive, !due.isEmpty { refreshes[scope] = due.map { Question(name: $0.name, type: $0.type) } }
            for record in expired {
                switch record.data {
                case .ptr(let target): touched.instances[target] = false
                case .srv, .txt: touched.instances[record.name] = false
                case .a, .aaaa, .nsec, .unknown: touched.hosts[record.name] = false
                }
            }
        }
        for name in self.unsettled {
            if let end = self.instances[name]?.givenUpAt, end <= now { touched.instances[name] = false }
        }
        return (self.report(touched, now: now), refreshes)
    }

    private func isWanted(_ key: RecordCache.Key) -> Bool {
        switch key.type {
        case .ptr: key.name == self.serviceType
        case .srv, .txt: self.instances[key.name] != nil
        default: self.instancesOfHost[key.name] != nil
        }
    }

    private mutating func report(_ touched: Touched, now: NIODeadline) -> [ServiceChange] {
        var names = touched.instances
        for (host, wasReceived) in touched.hosts {
            for name in self.instancesOfHost[host] ?? [] { names[name] = names[name] == true || wasReceived }
        }
        return names.keys.sorted().compactMap { self.report($0, wasReceived: names[$0] == true, now: now) }
    }

    private mutating func report(_ name: DNSName, wasReceived: Bool, now: NIODeadline) -> ServiceChange? {
        guard var instance = self.instances[name] else { return nil }
        let isPointedAt = self.links.values.contains { $0.cache.contains(self.serviceType, .ptr, .ptr(name)) }
        let location = isPointedAt ? self.location(of: name) : nil
        if instance.host != location?.target {
            self.moveHost(name, from: instance.host, to: location?.target)
            instance.host = location?.target
            instance.ipv4Attempts = 0
        }
        let service = location.flatMap { self.assemble(instance.name, $0) }
        let before = instance.reported
        if isPointedAt, service == nil, before != nil, instance.givenUpAt.map({ $0 > now }) ?? true {
            instance.givenUpAt = instance.givenUpAt ?? now + Self.incompleteGrace
        } else {
            instance.reported = service
            instance.givenUpAt = nil
        }
        let isChased = isPointedAt && (service == nil || (self.lacksIPv4(service) && instance.ipv4Attempts < Self.ipv4Attempts))
        instance.chase = isChased ? instance.chase ?? QueryBackoff(now: now, firstDelay: Self.chaseDelay) : nil
        self.instances[name] = isPointedAt ? instance : nil
        self.settle(name)
        switch (before, instance.reported) {
        case (nil, nil): return nil
        case (nil, let new?): return .found(new)
        case (let old?, nil): return .removed(old)
        case (let old?, let new?) where old != new: return .updated(new)
        case (_, let new?): return wasReceived ? .sighted(new) : nil
        }
    }

    private mutating func settle(_ name: DNSName) {
        if let event = self.instances[name]?.nextEvent {
            self.unsettled.insert(name)
            self.nextUnsettled = min(self.nextUnsettled ?? event, event)
        } else {
            self.unsettled.remove(name)
        }
    }

    private func lacksIPv4(_ service: DiscoveredService?) -> Bool { service?.addresses.first?.family == .ipv6 }

    private mutating func moveHost(_ name: DNSName, from old: DNSName?, to new: DNSName?) {
        if let old {
            self.instancesOfHost[old]?.remove(name)
            if self.instancesOfHost[old]?.isEmpty == true { self.instancesOfHost[old] = nil }
        }
        if let new { self.instancesOfHost[new, default: []].insert(name) }
    }

    private func location(of name: DNSName) -> ServiceLocation? {
        guard case .srv(let location) = self.newest(name, .srv)?.data else { return nil }
        return location
    }

    private func assemble(_ name: DNSName, _ location: ServiceLocation) -> DiscoveredService? {
        guard case .txt(let text) = self.newest(name, .txt)?.data else { return nil }
        var addresses: [ServiceAddress: Bool] = [:]
        for (scope, link) in self.links {
            for type in [RecordType.a, .aaaa] {
                for entry in link.cache.entries(location.target, type) {
                    guard let address = ServiceAddress(entry.data, scope: scope) else { continue }
                    addresses[address] = entry.isSuperseded && addresses[address] != false
                }
            }
        }
        guard !addresses.isEmpty else { return nil }
        let isStale = { (address: ServiceAddress) in addresses[address] == true ? 1 : 0 }
        return DiscoveredService(
            instanceName: String(decoding: name.firstLabel, as: UTF8.self), hostName: location.target.description, port: location.port,
            text: TXTRecord(wire: text),
            addresses: addresses.keys.sorted { left, right in
                guard left.family == right.family else { return left.family == .ipv4 }
                return (isStale(left), left) < (isStale(right), right)
            })
    }

    /// Returns the current record of a name that should have one; interfaces may temporarily differ.
    private func newest(_ name: DNSName, _ type: RecordType) -> RecordCache.Entry? {
        self.links.values.flatMap { $0.cache.entries(name, type) }.max { left, right in
            left.isSuperseded != right.isSuperseded ? left.isSuperseded : left.received < right.received
        }
    }
}

extension ServiceAssembler {
    /// Returns the due questions for missing records, for each active interface on which the service was received.
    mutating func dueChases(now: NIODeadline) -> [InterfaceScope: [Question]] {
        guard let nextUnsettled, nextUnsettled <= now else { return [:] }
        var questions: [InterfaceScope: [Question]] = [:]
        for name in self.unsettled {
            guard var instance = self.instances[name], instance.chase?.fire(now: now) == true else { continue }
            let missing = self.missing(name)
            if missing.count == 1, missing[0].type == .a { instance.ipv4Attempts += 1 }
            if missing.isEmpty || instance.ipv4Attempts >= Self.ipv4Attempts { instance.chase = nil }
            self.instances[name] = instance
            self.settle(name)
            for (scope, link) in self.links where link.isActive && link.cache.contains(self.serviceType, .ptr, .ptr(name)) {
                questions[scope, default: []] += missing
            }
        }
        self.nextUnsettled = self.unsettled.compactMap { self.instances[$0]?.nextEvent }.min()
        return questions.mapValues { $0.sorted { ($0.name, $0.type.rawValue) < ($1.name, $1.type.rawValue) } }
    }

    /// Returns the missing records. One address of either family is sufficient; for a host with only IPv6, an IPv4 address is requested.
    private func missing(_ name: DNSName) -> [Question] {
        var missing: [Question] = []
        if self.newest(name, .txt) == nil { missing.append(Question(name: name, type: .txt)) }
        guard let location = self.location(of: name) else { return missing + [Question(name: name, type: .srv)] }
        let hasIPv6 = self.newest(location.target, .aaaa) != nil
        if self.newest(location.target, .a) == nil {
            missing.append(Question(name: location.target, type: .a))
            if !hasIPv6 { missing.append(Question(name: location.target, type: .aaaa)) }
        }
        return missing
    }

    /// Returns the pointers known on an interface with more than half of their TTL remaining, for the list of a query (RFC 6762 section
    /// 7.1).
    func knownAnswers(on scope: InterfaceScope, now: NIODeadline) -> [ResourceRecord] {
        guard let link = self.links[scope] else { return [] }
        return link.cache.entries(self.serviceType, .ptr).filter { $0.isKnownAnswer(at: now) }.map { entry in
            let left = max(0, (entry.expires - now).nanoseconds / 1_000_000_000)
            return ResourceRecord(name: self.serviceType, data: entry.data, ttlSeconds: UInt32(clamping: left))
        }
    }

    /// When to call `advance` and `dueChases`; may be too early.
    var nextDeadline: NIODeadline? {
        (self.links.values.compactMap(\.cache.nextEvent) + [self.nextUnsettled].compactMap { $0 }).min()
    }
}

extension ResourceRecord {
    fileprivate var isAddress: Bool { self.type == .a || self.type == .aaaa }
}

extension ServiceAddress {
    fileprivate init?(_ data: RecordData, scope: InterfaceScope) {
        switch data {
        case .a(let value): self.init(ipv4: value)
        case .aaaa(let high, let low): self.init(high: high, low: low, scope: scope)
        case .ptr, .srv, .txt, .nsec, .unknown: return nil
        }
    }
}
