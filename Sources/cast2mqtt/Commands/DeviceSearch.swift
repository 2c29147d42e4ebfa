import BridgeConfiguration
import BridgeCore
import CastSender
import Logging
import NIOCore

/// Searches the network for one device by the name that a user gave.
struct DeviceSearch {
    let configuration: Configuration
    let eventLoop: any EventLoop

    /// - Parameter name: an id, a slug, an alias or the device's own name, in any case.
    /// - Returns: `nil` when no such device was found within the limit.
    func run(for name: String, within limit: Duration) async throws -> Device? {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let manager = DiscoveryManager(
            configuration: self.configuration.discovery.manager, eventLoop: self.eventLoop, connector: try TLSConnector(),
            handshakeGate: HandshakeGate(), logger: Logger(label: "CastSender.DiscoveryManager"), onChange: { _ in change.yield() })
        return await withTaskGroup(of: Device?.self) { tasks in
            tasks.addTask {
                await manager.run()
                return nil
            }
            tasks.addTask {
                for await _ in changes { if let device = self.device(called: name, among: await manager.devices) { return device } }
                return nil
            }
            tasks.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? nil
        }
    }

    private func device(called name: String, among devices: [Device]) -> Device? {
        let name = name.lowercased()
        let slugs = DevicesCommand.slugs(of: devices, self.configuration)
        return devices.first { device in
            device.id == name || slugs[device.id] == name || device.friendlyName.lowercased() == name
                || self.isAlias(name, of: device, slugs)
        }
    }

    private func isAlias(_ name: String, of device: Device, _ slugs: [Device.ID: String]) -> Bool {
        self.configuration.devices.contains { configured in
            configured.preferences.aliases?.contains(name) == true
                && configured.matches(id: device.id, slug: slugs[device.id] ?? "", name: device.friendlyName)
        }
    }
}
