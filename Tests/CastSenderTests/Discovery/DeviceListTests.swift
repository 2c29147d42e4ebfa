import CastModels
import TestSupport
import Testing

@testable import CastSender

@Suite struct DeviceListTests {
    private static func device(_ id: String, _ name: String, port: Int = 8009) -> Device {
        Device(id: id, friendlyName: name, endpoints: [DeviceEndpoint(host: "10.0.0.1", port: port)])
    }

    private static func expect(_ change: DeviceListChange?, _ expected: DeviceListChange?) { #expect(change == expected) }

    @Test("devices stand by name, whatever its case, and by id where names are equal")
    func order() {
        let list = DeviceList([
            Self.device("3", "kitchen"), Self.device("2", "Bath"), Self.device("1", "Kitchen"), Self.device("4", "attic"),
        ])
        #expect(list.devices.map(\.id) == ["4", "2", "1", "3"])
    }

    @Test("each change has its index, and an unchanged device is not a change")
    func changes() {
        var list = DeviceList()
        Self.expect(list.apply(Self.device("1", "b")), .inserted(Self.device("1", "b"), at: 0))
        Self.expect(list.apply(Self.device("2", "a")), .inserted(Self.device("2", "a"), at: 0))
        Self.expect(list.apply(Self.device("2", "a")), nil)
        Self.expect(list.apply(Self.device("2", "a", port: 1)), .updated(Self.device("2", "a", port: 1), at: 0, to: 0))
        Self.expect(list.apply(Self.device("2", "c")), .updated(Self.device("2", "c"), at: 0, to: 1))
        let (removed, nothing) = (list.remove("1"), list.remove("1"))
        #expect(removed == .removed(Self.device("1", "b"), at: 0))
        #expect(nothing == nil)
        #expect(list.devices == [Self.device("2", "c")])
    }

    @Test("applying the changes to a copy gives the same list", arguments: 0..<20)
    func replay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = DeviceList()
        var copy: [Device] = []
        for _ in 0..<300 {
            let id = String(UInt64.random(in: 0..<12, using: &random))
            let name = ["a", "A", "b", "ä", "", "z"][Int.random(in: 0..<6, using: &random)]
            let change = Bool.random(using: &random) ? list.apply(Self.device(id, name)) : list.remove(id)
            switch change {
            case .inserted(let device, let index): copy.insert(device, at: index)
            case .updated(let device, let index, let target):
                copy.remove(at: index)
                copy.insert(device, at: target)
            case .removed(let device, let index):
                let removed = copy.remove(at: index)
                #expect(removed == device)
            case nil: break
            }
            #expect(copy == list.devices)
        }
    }
}
