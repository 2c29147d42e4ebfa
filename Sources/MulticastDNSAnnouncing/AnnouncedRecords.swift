import MulticastDNS

/// The records of announced services, and which of them answer a question. Pure.
struct AnnouncedRecords {
    /// Identifies a set of records that is sent, suppressed and rate-limited as one.
    enum Key: Hashable {
        case pointer(DNSName)
        case location(DNSName)
        case text(DNSName)
        case addresses(DNSName, RecordType)
        /// The statement which record types a name has, in answer to a question for another type (RFC 6762 section 6.1).
        case absence(DNSName)
        /// The service type in the list of types (RFC 6763 section 9).
        case type(DNSName)

        /// Whether other hosts may give the same answer, which is then delayed randomly (RFC 6762 section 6).
        var isShared: Bool {
            switch self {
            case .pointer, .type: true
            case .location, .text, .addresses, .absence: false
            }
        }
    }

    struct Service {
        var announced: AnnouncedService
        var names: ServiceNames
        /// Whether its names are ours; before that, it answers no questions.
        var isEstablished: Bool
    }

    private(set) var services: [DNSName: Service] = [:]
    private var addresses: [DNSName: Set<ServiceAddress>] = [:]
    private var servicesOfHost: [DNSName: Set<DNSName>] = [:]
    private var servicesOfType: [DNSName: Set<DNSName>] = [:]

    /// The name `_services._dns-sd._udp.local`.
    static let typesName = DNSName(
        uncheckedWire: ["_services", "_dns-sd", "_udp", "local"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })

    mutating func insert(_ service: AnnouncedService, _ names: ServiceNames, isEstablished: Bool) {
        self.remove(names.instance)
        self.services[names.instance] = Service(announced: service, names: names, isEstablished: isEstablished)
        self.addresses[names.host] = Set(service.addresses.map(\.withoutScope))
        self.servicesOfHost[names.host, default: []].insert(names.instance)
        self.servicesOfType[names.type, default: []].insert(names.instance)
    }

    mutating func remove(_ instance: DNSName) {
        guard let names = self.services.removeValue(forKey: instance)?.names else { return }
        self.servicesOfType[names.type]?.remove(instance)
        if self.servicesOfType[names.type]?.isEmpty == true { self.servicesOfType[names.type] = nil }
        self.servicesOfHost[names.host]?.remove(instance)
        if self.servicesOfHost[names.host]?.isEmpty == true {
            self.servicesOfHost[names.host] = nil
            self.addresses[names.host] = nil
        }
    }

    mutating func setEstablished(_ instance: DNSName, _ isEstablished: Bool) { self.services[instance]?.isEstablished = isEstablished }

    func services(on host: DNSName) -> Set<DNSName> { self.servicesOfHost[host] ?? [] }

    func isHostEstablished(_ host: DNSName) -> Bool { self.services(on: host).contains { self.services[$0]?.isEstablished == true } }

    /// Returns all sets of records of a service.
    func keys(of instance: DNSName) -> [Key] {
        guard let host = self.services[instance]?.names.host else { return [] }
        return [.pointer(instance), .location(instance), .text(instance)] + self.addressKeys(host)
    }

    private func addressKeys(_ host: DNSName) -> [Key] {
        let families = Set((self.addresses[host] ?? []).map(\.family))
        return (families.contains(.ipv4) ? [.addresses(host, .a)] : []) + (families.contains(.ipv6) ? [.addresses(host, .aaaa)] : [])
    }

    func records(_ key: Key) -> [ResourceRecord] {
        switch key {
        case .pointer(let instance):
            guard let service = self.services[instance] else { return [] }
            return [
                ResourceRecord(
                    name: service.names.type, data: .ptr(service.names.instance), ttlSeconds: service.announced.serviceTTLSeconds)
            ]
        case .type(let type):
            guard self.servicesOfType[type] != nil else { return [] }
            return [ResourceRecord(name: Self.typesName, data: .ptr(type), ttlSeconds: 4500)]
        case .location(let instance):
            guard let service = self.services[instance] else { return [] }
            let location = ServiceLocation(port: service.announced.port, target: service.names.host)
            return [Self.unique(service.names.instance, .srv(location), service.announced.hostTTLSeconds)]
        case .text(let instance):
            guard let service = self.services[instance] else { return [] }
            return [Self.unique(service.names.instance, .txt(service.announced.text.wire), service.announced.serviceTTLSeconds)]
        case .addresses(let host, let type):
            return (self.addresses[host] ?? []).sorted().map(RecordData.init).filter { $0.type == type }
                .map { Self.unique(host, $0, self.hostTTLSeconds(host)) }
        case .absence(let name):
            if self.services[name] != nil { return [Self.unique(name, .nsec(next: name, types: [.txt, .srv]), self.hostTTLSeconds(name))] }
            let types = self.addressKeys(name).compactMap { if case .addresses(_, let type) = $0 { type } else { nil } }
            return types.isEmpty ? [] : [Self.unique(name, .nsec(next: name, types: types), self.hostTTLSeconds(name))]
        }
    }

    private static func unique(_ name: DNSName, _ data: RecordData, _ ttl: UInt32) -> ResourceRecord {
        ResourceRecord(name: name, data: data, ttlSeconds: ttl, cacheFlush: true)
    }

    private func hostTTLSeconds(_ name: DNSName) -> UInt32 {
        (self.services(on: name).compactMap { self.services[$0] } + [self.services[name]].compactMap { $0 })
            .map(\.announced.hostTTLSeconds).min() ?? 120
    }

    /// Returns the records of the name that a probe claims, and with which conflicts are detected.
    func uniqueRecords(named name: DNSName) -> [ResourceRecord] {
        let keys: [Key] = self.services[name] != nil ? [.location(name), .text(name)] : self.addressKeys(name)
        return keys.flatMap(self.records)
    }

    // MARK: Questions

    /// Returns the answers to a question, independently of the asker's known answers, in a reproducible order.
    func answers(to question: Question) -> [Key] {
        let (name, type) = (question.name, question.type)
        let isAny = type == .any
        if let instances = self.servicesOfType[name] {
            guard isAny || type == .ptr else { return [] }
            return instances.filter { self.services[$0]?.isEstablished == true }.sorted().map { .pointer($0) }
        }
        if name == Self.typesName {
            guard isAny || type == .ptr else { return [] }
            return self.servicesOfType.keys.filter { self.answers(to: Question(name: $0, type: .ptr)).isEmpty == false }.sorted().map {
                .type($0)
            }
        }
        if self.services[name]?.isEstablished == true {
            let keys: [Key] = (isAny || type == .srv ? [.location(name)] : []) + (isAny || type == .txt ? [.text(name)] : [])
            return keys.isEmpty ? [.absence(name)] : keys
        }
        if self.isHostEstablished(name) {
            let keys = self.addressKeys(name).filter { key in isAny || key == .addresses(name, type) }
            return keys.isEmpty ? [.absence(name)] : keys
        }
        return []
    }

    /// Returns the additional records that save the asker's next question (RFC 6763 section 12).
    func additionals(for key: Key) -> [Key] {
        switch key {
        case .pointer(let instance): Array(self.keys(of: instance).dropFirst())
        case .location(let instance): self.services[instance].map { self.addressKeys($0.names.host) } ?? []
        case .addresses(let host, _):
            self.addressKeys(host).filter { $0 != key } + (self.addressKeys(host).count == 1 ? [.absence(host)] : [])
        case .text, .absence, .type: []
        }
    }
}

extension RecordData {
    init(_ address: ServiceAddress) {
        switch address.family {
        case .ipv4: self = .a(UInt32(truncatingIfNeeded: address.low))
        case .ipv6: self = .aaaa(high: address.high, low: address.low)
        }
    }
}
