import BridgeCore
import CastSender
import NIOCore

@testable import Bridge

#if canImport(Glibc)
    import Glibc
#endif

extension BridgeWorld {
    /// The state file as it is on disk.
    var stateFile: [UInt8] { (try? WholeFile.read(self.directory + "/devices.jsonl", limit: StateDirectory.limit)) ?? [] }

    /// Every topic that the state file on disk names.
    var topicsOnDisk: Set<String> {
        let file = StateFile.read(self.stateFile).file
        return file.devices.reduce(into: file.topics.union(file.discoveryTopics)) { $0.formUnion($1.topics.union($1.discoveryTopics)) }
    }

    /// Discovery finds these devices; `nil` means all.
    func find(_ indices: Range<Int>? = nil) async {
        let descriptions = self.devices[indices ?? self.devices.indices].map(\.description)
        await self.look { bridge in
            for description in descriptions {
                let device = Device(
                    id: description.id, friendlyName: description.friendlyName, modelName: description.model.name,
                    endpoints: [DeviceEndpoint(host: description.address)])
                bridge.context.loop.turn { bridge.fleet.handle(.found(device)) }
            }
        }
    }

    /// Whether the bridge has every device, and all of them are online.
    func isComplete() async -> Bool {
        let online = await self.look { $0.fleet.devices.count(where: \.state.isAvailable) }
        return self.broker.isOnline && online == self.devices.count
    }

    /// Moves the time and counts the versions of the state file that were written meanwhile.
    func versions(during amount: TimeAmount, step: TimeAmount, check: () async -> Void = {}) async -> Int {
        var (count, last, left) = (0, self.version, amount)
        while left > .zero {
            await self.advance(min(step, left), step: step)
            left = left - step
            await check()
            if self.version != last { (count, last) = (count + 1, self.version) }
        }
        return count
    }

    /// Identifies the present version of the state file: each is a file of its own, put in the place of the previous one.
    private var version: [Int] {
        var status = stat()
        guard stat(self.directory + "/devices.jsonl", &status) == 0 else { return [] }
        return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}
