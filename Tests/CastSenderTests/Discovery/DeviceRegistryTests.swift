import CastModels
import MulticastDNS
import Testing

@testable import CastSender

@Suite struct DeviceRegistryTests {
    private static func service(
        _ instance: String, id: String? = "aa11", name: String? = "Living room", model: String? = "Chromecast", capabilities: String? = "5",
        addresses: [String] = ["10.0.0.1"], port: UInt16 = 8009, others: [(String, String)] = []
    ) throws -> DiscoveredService {
        var entries: [TXTRecord.Entry] = []
        for (key, value) in [("id", id), ("fn", name), ("md", model), ("ca", capabilities)] + others.map({ ($0.0, Optional($0.1)) }) {
            if let value { entries.append(TXTRecord.Entry(key: key, value: Array(value.utf8))) }
        }
        return DiscoveredService(
            instanceName: instance, hostName: "h.local", port: port, text: try TXTRecord(entries: entries),
            addresses: addresses.compactMap { ServiceAddress($0) })
    }

    private static func describe(_ changes: [DeviceChange]) -> [String] {
        changes.map { change in
            switch change {
            case .found(let device): "found \(device.id)"
            case .changed(let device): "changed \(device.id)"
            case .addressesChanged(let device): "addresses \(device.id) \(device.endpoints.map(\.description).joined(separator: " "))"
            case .sighted(let id): "sighted \(id)"
            case .lost(let id): "lost \(id)"
            case .networkChanged: "network"
            }
        }
    }

    @Test("a device is found with everything it announces")
    func found() throws {
        var registry = DeviceRegistry()
        let service = try Self.service(
            "X", id: "AA-11", capabilities: "201221", addresses: ["10.0.0.1", "fd00::1"], others: [("rs", "YouTube"), ("Ve", "05")])
        let changes = try registry.apply(.found(service))
        guard case .found(let device)? = changes.first, changes.count == 1 else {
            Issue.record("one device should be found")
            return
        }
        #expect(device.id == "aa11")
        #expect(device.friendlyName == "Living room")
        #expect(device.modelName == "Chromecast")
        #expect(device.capabilities?.rawValue == 201_221)
        #expect(device.endpoints.map(\.description) == ["10.0.0.1:8009", "[fd00::1]:8009"])
        #expect(device.identity == .announced)
        #expect(device.unknownText == ["rs": "YouTube", "ve": "05"])
        #expect(registry.devices == [device])
    }

    @Test(
        "names and models are trimmed, whitespace inside is one blank, and a blank one is none",
        arguments: [("   ", "TV", "aa11", "TV"), ("  Den\t(TV)\n ", "TV ", "Den (TV)", "TV"), ("A\u{A0} \r\nB", "\t", "A B", "")])
    func names(name: String, model: String, shownName: String, shownModel: String) throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("X", name: name, model: model)))
        #expect(registry.devices.map(\.friendlyName) == [shownName] && registry.devices.map(\.modelName) == [shownModel])
        _ = try registry.apply(.updated(Self.service("X", name: "Kitchen")))
        _ = try registry.apply(.updated(Self.service("X", name: " ")))
        #expect(registry.devices.map(\.friendlyName) == ["Kitchen"], "as with one that is missing")
    }

    @Test(
        "what can't be a device is omitted with the reason",
        arguments: [
            ("X", nil, UInt16(8009), DeviceRegistry.Omission.noUsableID), ("X", "", 8009, .noUsableID), ("X", "a_b", 8009, .noUsableID),
            ("X", "../../etc", 8009, .noUsableID), ("X", "é", 8009, .noUsableID), ("X", "aa", 0, .noUsableID),
            ("X", String(repeating: "a", count: 65), 8009, .noUsableID), ("_abc._sub", "aa", 8009, .subtype),
        ] as [(String, String?, UInt16, DeviceRegistry.Omission)])
    func omitted(instance: String, id: String?, port: UInt16, omission: DeviceRegistry.Omission) throws {
        var registry = DeviceRegistry()
        let service = try Self.service(instance, id: id, port: port)
        #expect(throws: omission) { try registry.apply(.found(service)) }
        #expect(registry.isEmpty)
    }

    @Test("a name is not taken for a subtype", arguments: ["my_sub", "_sub", "TV._sub.woofer"])
    func namedLikeSubtype(instance: String) throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service(instance, id: "aa")))
        #expect(registry.devices.map(\.id) == ["aa"])
    }

    @Test("fields that are missing or do not parse keep their known value")
    func missingFields() throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("X")))
        _ = try registry.apply(.updated(Self.service("X", name: nil, model: "", capabilities: "many")))
        let device = try #require(registry.device("aa11"))
        #expect(device.friendlyName == "Living room")
        #expect(device.modelName == "Chromecast")
        #expect(device.capabilities?.rawValue == 5)
    }

    @Test("a device without a name is called by its id until it announces one")
    func nameless() throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("X", name: nil)))
        #expect(registry.device("aa11")?.friendlyName == "aa11")
        #expect(Self.describe(try registry.apply(.updated(Self.service("X")))) == ["changed aa11"])
    }

    @Test("each kind of change is reported as such")
    func kinds() throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("X")))
        #expect(Self.describe(try registry.apply(.sighted(Self.service("X")))) == ["sighted aa11"])
        #expect(Self.describe(try registry.apply(.updated(Self.service("X")))) == ["sighted aa11"])
        #expect(Self.describe(try registry.apply(.updated(Self.service("X", name: "Kitchen")))) == ["changed aa11"])
        #expect(
            Self.describe(try registry.apply(.updated(Self.service("X", name: "Kitchen", addresses: ["10.0.0.2"]))))
                == ["addresses aa11 10.0.0.2:8009"])
        #expect(Self.describe(try registry.apply(.networkChanged)) == ["network"])
        #expect(Self.describe(try registry.apply(.sighted(Self.service("unknown")))) == [])
    }

    @Test("a group that moves has both instances, the newer first, and loses the old one")
    func groupMoves() throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("Group", capabilities: "32", addresses: ["10.0.0.1"], port: 32219)))
        let moved = try Self.service("Group-1", capabilities: "32", addresses: ["10.0.0.2"], port: 32220)
        #expect(Self.describe(try registry.apply(.found(moved))) == ["addresses aa11 10.0.0.2:32220 10.0.0.1:32219"])
        let old = try Self.service("Group", capabilities: "32", addresses: ["10.0.0.1"], port: 32219)
        #expect(Self.describe(try registry.apply(.removed(old))) == ["addresses aa11 10.0.0.2:32220"])
        #expect(registry.device("aa11")?.kind == .group)
    }

    @Test("a device whose announcements end is lost, and keeps its last addresses")
    func removed() throws {
        var registry = DeviceRegistry()
        let service = try Self.service("X")
        _ = try registry.apply(.found(service))
        #expect(registry.isPresent("aa11"))
        #expect(Self.describe(try registry.apply(.removed(service))) == ["lost aa11"], "a goodbye is no sighting")
        #expect(!registry.isPresent("aa11"))
        #expect(Self.describe(try registry.apply(.removed(service))) == [], "once")
        #expect(registry.device("aa11")?.endpoints.map(\.host) == ["10.0.0.1"])
        #expect(Self.describe(try registry.apply(.found(Self.service("X", addresses: ["10.0.0.7"])))) == ["addresses aa11 10.0.0.7:8009"])
    }

    @Test("a device is lost with its last announcement, and not at all where a known host answers")
    func lastSource() throws {
        var registry = DeviceRegistry()
        let services = [try Self.service("X"), try Self.service("Y", addresses: ["10.0.0.2"])]
        for service in services { _ = try registry.apply(.found(service)) }
        #expect(Self.describe(try registry.apply(.removed(services[0]))) == ["addresses aa11 10.0.0.2:8009"])
        #expect(Self.describe(try registry.apply(.removed(services[1]))) == ["lost aa11"])
        let host = DeviceEndpoint(host: "10.0.0.2")
        #expect(Self.describe(registry.locate(DeviceIdentity(id: "aa11"), at: host, isVerified: true)) == ["changed aa11"])
        for service in services { _ = try registry.apply(.found(service)) }
        for service in services { #expect(!Self.describe(try registry.apply(.removed(service))).contains("lost aa11")) }
        #expect(registry.isPresent("aa11"))
    }

    @Test("the loss of a device that does not match is not reported")
    func unwantedLost() throws {
        var registry = DeviceRegistry(criteria: DiscoveryCriteria(exclude: ["aa*"].compactMap(GlobPattern.init)))
        _ = try registry.apply(.found(Self.service("X")))
        #expect(Self.describe(try registry.apply(.removed(Self.service("X")))) == [])
    }

    @Test("devices that are not announced again after a restart are lost, but no known host")
    func unseen() throws {
        var registry = DeviceRegistry()
        for (index, id) in ["aa", "bb", "cc"].enumerated() {
            _ = try registry.apply(.found(Self.service(id, id: id, addresses: ["10.0.0.\(index + 1)"])))
        }
        _ = registry.locate(DeviceIdentity(id: "dd"), at: DeviceEndpoint(host: "tv.lan"), isVerified: true)
        let start = registry.present
        _ = try registry.apply(.found(Self.service("bb", id: "bb", addresses: ["10.0.0.2"])))
        _ = try registry.apply(.found(Self.service("ee", id: "ee", addresses: ["10.0.0.5"])))
        #expect(Self.describe(registry.dropSources(lastSeenUpTo: start)) == ["lost aa", "lost cc"])
        #expect(Self.describe(registry.dropSources(lastSeenUpTo: start)) == [])
        #expect(["aa", "bb", "cc", "dd", "ee"].filter(registry.isPresent) == ["bb", "dd", "ee"])
    }

    @Test("an address that another device claims is taken from the one that had it")
    func claims() throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("A", id: "aa", addresses: ["10.0.0.1", "10.0.0.2"])))
        let changes = try registry.apply(.found(Self.service("B", id: "bb", addresses: ["10.0.0.1"])))
        #expect(Self.describe(changes) == ["found bb", "addresses aa 10.0.0.2:8009"])
    }

    @Test("an instance that changes its id belongs to the new device")
    func otherID() throws {
        var registry = DeviceRegistry()
        _ = try registry.apply(.found(Self.service("X", id: "aa")))
        let changes = try registry.apply(.updated(Self.service("X", id: "bb", addresses: ["10.0.0.9"])))
        #expect(Self.describe(changes).contains("found bb"))
        #expect(registry.device("bb")?.endpoints.map(\.host) == ["10.0.0.9"])
    }

    @Test("the list is sorted by name, whatever its case, then by id")
    func sorted() throws {
        var registry = DeviceRegistry()
        for (id, name) in [("c", "kitchen"), ("a", "Kitchen"), ("b", "Bath"), ("d", "attic")] {
            _ = try registry.apply(.found(Self.service(id, id: id, name: name, addresses: ["10.0.0.\(id.utf8.first ?? 0)"])))
        }
        #expect(registry.devices.map(\.id) == ["d", "b", "a", "c"])
    }

    @Test(
        "only wanted devices are reported, by id, name or model",
        arguments: [
            (["*"], [], ["aa", "bb"]), (["living*"], [], ["aa"]), (["BB"], [], ["bb"]), (["*speaker?"], [], ["bb"]), ([], ["aa"], ["bb"]),
            (["*"], ["*"], []), (["nothing"], [], []),
        ] as [([String], [String], [String])])
    func criteria(include: [String], exclude: [String], wanted: [String]) throws {
        let criteria = DiscoveryCriteria(include: include.compactMap(GlobPattern.init), exclude: exclude.compactMap(GlobPattern.init))
        var registry = DeviceRegistry(criteria: criteria)
        var found: [String] = []
        for service in [
            try Self.service("A", id: "aa", name: "Living room"),
            try Self.service("B", id: "bb", name: "Bath", model: "Speaker2", addresses: ["10.0.0.2"]),
        ] {
            found += Self.describe(try registry.apply(.found(service))).filter { $0.hasPrefix("found") }.map { String($0.dropFirst(6)) }
        }
        #expect(found == wanted)
        #expect(registry.devices.map(\.id).sorted() == wanted)
    }

    @Test("a known host is the device that answered there, merged with its announcement")
    func knownHost() throws {
        var registry = DeviceRegistry()
        var information = DeviceInformation(id: "aa11", friendlyName: "TV", modelName: "BRAVIA")
        let endpoint = DeviceEndpoint(host: "tv.lan")
        let found = registry.locate(DeviceIdentity(id: "aa11", information: information), at: endpoint, isVerified: true)
        #expect(Self.describe(found) == ["found aa11"])
        #expect(registry.device("aa11")?.friendlyName == "TV")
        #expect(registry.device("aa11")?.identity == .verified)
        _ = try registry.apply(.found(Self.service("X")))
        #expect(registry.device("aa11")?.friendlyName == "Living room")
        #expect(registry.device("aa11")?.endpoints.map(\.host) == ["10.0.0.1", "tv.lan"])

        information.id = "bb22"
        let moved = registry.locate(DeviceIdentity(id: "bb22", information: information), at: endpoint, isVerified: true)
        #expect(Self.describe(moved) == ["addresses aa11 10.0.0.1:8009", "found bb22"])
    }

    @Test("a configured id applies until the device reports its own")
    func configuredID() {
        var registry = DeviceRegistry()
        _ = registry.locate(DeviceIdentity(id: "aa11"), at: DeviceEndpoint(host: "tv.lan"), isVerified: false)
        #expect(registry.device("aa11")?.identity == .announced)
        #expect(Self.describe(registry.verify(DeviceIdentity(id: "aa11"))) == ["changed aa11"])
        #expect(registry.device("aa11")?.identity == .verified)
        #expect(registry.verify(DeviceIdentity(id: "stranger")).isEmpty)
    }

    @Test("instances and devices are bounded")
    func bounds() throws {
        var registry = DeviceRegistry()
        for index in 0..<50 { _ = try registry.apply(.found(Self.service("X\(index)", addresses: ["10.0.0.\(index)"]))) }
        let endpoints = try #require(registry.device("aa11")?.endpoints)
        #expect(endpoints.count == DeviceRegistry.sourceLimit)
        #expect(endpoints.first?.host == "10.0.0.49")
        _ = try registry.apply(.found(Self.service("X0", addresses: (0..<20).map { "10.0.1.\($0)" })))
        #expect(registry.device("aa11")?.endpoints.count == DeviceRegistry.endpointLimit)
        for index in 0..<(DeviceRegistry.deviceLimit - 1) {
            _ = try registry.apply(.found(Self.service("D\(index)", id: "d\(index)", addresses: ["10.1.\(index / 250).\(index % 250)"])))
        }
        let more = try Self.service("more", id: "more", addresses: ["10.2.0.1"])
        #expect(throws: DeviceRegistry.Omission.tableFull) { try registry.apply(.found(more)) }
    }

    @Test("a full registry forgets the device whose announcements ended first")
    func room() throws {
        var registry = DeviceRegistry()
        let services = try (0..<DeviceRegistry.deviceLimit).map {
            try Self.service("D\($0)", id: "d\($0)", addresses: ["10.1.\($0 / 250).\($0 % 250)"])
        }
        for service in services { _ = try registry.apply(.found(service)) }
        for index in [7, 3] { #expect(Self.describe(try registry.apply(.removed(services[index]))) == ["lost d\(index)"]) }
        _ = try registry.apply(.found(services[7]))
        _ = try registry.apply(.removed(services[7]))
        let newcomers = try (0..<3).map { try Self.service("N\($0)", id: "n\($0)", addresses: ["10.2.0.\($0)"]) }
        #expect(Self.describe(try registry.apply(.found(newcomers[0]))) == ["lost d3", "found n0"])
        #expect(Self.describe(try registry.apply(.found(newcomers[1]))) == ["lost d7", "found n1"])
        #expect(throws: DeviceRegistry.Omission.tableFull) { try registry.apply(.found(newcomers[2])) }
        #expect(registry.device("d3") == nil)
        #expect(Self.describe(try registry.apply(.updated(services[8]))) == ["sighted d8"])
    }
}
