import CastModels
import CastTestSupport

@testable import CastSender

/// A context whose devices are known hosts in memory.
struct ContextWorld: World {
    let virtual = VirtualLoop()
    let connector: MemoryConnector
    let context: CastContext

    init(_ receivers: [FakeReceiver], _ change: (inout CastOptions) -> Void = { _ in }) {
        self.connector = MemoryConnector(self.virtual)
        var options = CastOptions()
        options.discovery.isMulticastEnabled = false
        for (index, receiver) in receivers.enumerated() {
            options.discovery.knownHosts.append(KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.\(index + 1)")))
            self.connector.route("10.0.0.\(index + 1)", to: .receiver(receiver))
        }
        change(&options)
        self.context = CastContext(options: options, eventLoop: self.virtual.loop, connector: self.connector, random: { 0.5 })
    }
}
