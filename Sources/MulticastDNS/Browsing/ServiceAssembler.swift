import NIOCore

/// Puts records of all interfaces together to services and says what is missing of them (RFC 6763 sections 4 to 6).
struct ServiceAssembler {
    let serviceType: DNSName
    private let limits: Limits
    private var links: [InterfaceScope: Link] = [:]
    private var instances: [DNSName: Instance] = [:]
    private var instancesOfHost: [DNSName: Set<DNSName>] = [:]
    /// Instances with a chase or a grace under way; the only ones that need the time.
    private var unsettled: Set<DNSName> = []

    private struct Link {
        var cache: RecordCache
        var isActive = true
    }

    private struct Instance {
        /// With its letters as first heard.
        let name: DNSName
        var reported: DiscoveredService?
        var host: DNSName?
        /// Set while something is missing.
        var chase: QueryBackoff?
        /// When a reported service that has become incomplete is given up.
        var givenUpAt: NIODeadline?
        /// Questions for an IPv4 address of a host that has IPv6 addresses.
        var ipv4Attempts = 0
    }

    /// A reported service with a part gone, say its new host's address, stays for this long while the part is asked for.
    static let incompleteGrace = TimeAmount.seconds(5)
    /// Records of an interface that is gone, or moved to another network, stay for this long unless heard again.
    static let lostLinkGrace = TimeAmount.seconds(10)
    /// Answers to a query arrive in many packets: what is missing is asked for after the first of them were read.
    static let chaseDelay = TimeAmount.milliseconds(20)
    /// A service that has IPv6 addresses only is asked this often for an IPv4 address.
    static let ipv4Attempts = 3

    init(serviceType: DNSName, limits: Limits) {
        self.serviceType = serviceType
        self.limits = limits
    }

    /// Services that are complete and reported.
    var serviceCount: Int { self.instances.values.count { $0.reported != nil } }

    mutating func addLink(_ scope: InterfaceScope) {
        self.links[scope, default: Link(cache: RecordCache(limits: self.limits))].isActive = true
    }

    /// The records stay for `lostLinkGrace`.
    mutating func removeLink(_ scope: InterfaceScope, now: NIODeadline) {
        self.links[scope]?.isActive = false
        self.doubtLink(scope, now: now)
    }

    /// The interface may be in another network now: what is not heard again within `lostLinkGrace` goes.
    mutating func doubtLink(_ scope: InterfaceScope, now: NIODeadline) {
        self.links[scope]?.cache.limitLives(to: now + Self.lostLinkGrace)
    }

    /// - Parameters:
    ///   - isOneShot: an answer to a one-shot query, whose TTLs are capped and must not shorten what is known.
    ///   - random: for the jitter of refreshes.
    mutating func receive(
        _ message: DNSMessage, on scope: InterfaceScope, isOneShot: Bool = false, now: NIODeadline, random: (ClosedRange<Double>) -> Double
    ) -> [ServiceChange] {
        guard message.flags.isResponse, message.isUsable, self.links[scope] != nil else { return [] }
        var touched = Touched()
        let records = message.answers + message.additionals
        // Addresses last: whether they are kept depends on who points to their host.
        for record in records where !record.isAddress { self.insert(record, scope, isOneShot, now, random, &touched) }
        for record in records where record.isAddress { self.insert(record, scope, isOneShot, now, random, &touched) }
        return self.report(touched, now: now)
    }

    /// Names whose records a packet, or the time, has changed; the value says whether they were heard.
    private struct Touched {
        var instances: [DNSName: Bool] = [:]
        var hosts: [DNSName: Bool] = [:]
        /// Hosts that the packet's SRV records point to.
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
            let isHalfFull = (self.links[scope]?.cache.nameCount ?? 0) * 2 >= self.limits.names
            guard !isHalfFull || self.instancesOfHost[record.name] != nil || touched.targets.contains(record.name) else { return }
        case .nsec, .unknown:
            return
        }
        let insertion = self.links[scope]?.cache.insert(
            record, capacity: capacity, now: now, jitter: random(0...0.02), mayShorten: !isOneShot)
        guard let insertion, insertion != .ignored else { return }
        let wasHeard = insertion != .goodbye
        switch record.data {
        case .ptr(let target):
            if wasHeard, self.instances[target] == nil { self.instances[target] = Instance(name: target) }
            touched.instances[target] = touched.instances[target] == true || wasHeard
        case .srv, .txt:
            if case .srv(let location) = record.data { touched.targets.insert(location.target) }
            touched.instances[record.name] = touched.instances[record.name] == true || wasHeard
        case .a, .aaaa, .nsec, .unknown:
            touched.hosts[record.name] = touched.hosts[record.name] == true || wasHeard
        }
    }

    /// Exactly one label above the type; enumerations of sub-types (`_hash._sub.<type>`) are none, nor are labels that imitate them.
    private func isInstance(_ target: DNSName) -> Bool {
        target.isChild(of: self.serviceType) && !String(decoding: target.firstLabel, as: UTF8.self).hasSuffix("._sub")
    }

    /// Lets time pass: expiry, and the end of graces.
    /// - Returns: what changed, and the questions that keep records alive, for each active interface.
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
        for (host, wasHeard) in touched.hosts {
            for name in self.instancesOfHost[host] ?? [] { names[name] = names[name] == true || wasHeard }
        }
        return names.keys.sorted().compactMap { self.report($0, wasHeard: names[$0] == true, now: now) }
    }

    private mutating func report(_ name: DNSName, wasHeard: Bool, now: NIODeadline) -> ServiceChange? {
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
        case (_, let new?): return wasHeard ? .sighted(new) : nil
        }
    }

    private mutating func settle(_ name: DNSName) {
        let instance = self.instances[name]
        if instance?.chase == nil, instance?.givenUpAt == nil { self.unsettled.remove(name) } else { self.unsettled.insert(name) }
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

    /// The current record of a name that should have one; interfaces may disagree for a moment.
    private func newest(_ name: DNSName, _ type: RecordType) -> RecordCache.Entry? {
        self.links.values.flatMap { $0.cache.entries(name, type) }.max { left, right in
            left.isSuperseded != right.isSuperseded ? left.isSuperseded : left.received < right.received
        }
    }
}

extension ServiceAssembler {
    /// Questions for what is missing and due, for each active interface on which the service was heard.
    mutating func dueChases(now: NIODeadline) -> [InterfaceScope: [Question]] {
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
        return questions.mapValues { $0.sorted { ($0.name, $0.type.rawValue) < ($1.name, $1.type.rawValue) } }
    }

    /// An address of either family will do; of a host with IPv6 only, an IPv4 address is asked for.
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

    /// Pointers known on an interface with more than half of their life left, for a query to list (RFC 6762 section 7.1).
    func knownAnswers(on scope: InterfaceScope, now: NIODeadline) -> [ResourceRecord] {
        guard let link = self.links[scope] else { return [] }
        return link.cache.entries(self.serviceType, .ptr).filter { $0.isKnownAnswer(at: now) }.map { entry in
            let left = max(0, (entry.expires - now).nanoseconds / 1_000_000_000)
            return ResourceRecord(name: self.serviceType, data: entry.data, ttlSeconds: UInt32(clamping: left))
        }.sorted { $0.pointerTarget < $1.pointerTarget }
    }

    var nextDeadline: NIODeadline? {
        let lives = self.links.values.compactMap(\.cache.nextEvent)
        let instances = self.unsettled.compactMap { self.instances[$0] }
        return (lives + instances.compactMap(\.chase?.next) + instances.compactMap(\.givenUpAt)).min()
    }
}

extension ResourceRecord {
    fileprivate var isAddress: Bool { self.type == .a || self.type == .aaaa }

    fileprivate var pointerTarget: DNSName {
        guard case .ptr(let target) = self.data else { return self.name }
        return target
    }
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
