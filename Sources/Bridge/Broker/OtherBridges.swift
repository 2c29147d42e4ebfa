import BridgeCore
import MQTTClient

/// The other bridges of the broker: one with the same base, for which a bridge alone waits, the other member of a pair, and those with
/// bases of their own.
struct OtherBridges {
    let search: RepeatedBridgeSearch
    /// `nil` for a bridge alone.
    let pair: Pair?
    let shared: SharedDeviceWatch

    init(
        _ context: BridgeContext, connection: BrokerConnection, devices: @escaping () -> [DeviceState],
        onProtocolChosen: @escaping (MQTTProtocolVersion) -> Void, onPairEvent: @escaping (Pair.Event) -> Void
    ) {
        self.shared = SharedDeviceWatch(context, connection: connection, devices: devices)
        self.search = RepeatedBridgeSearch(context, onProtocolChosen: onProtocolChosen)
        self.pair = context.settings.pair.flatMap { settings in
            context.lease.map { Pair(context, settings, lease: $0, onEvent: onPairEvent) }
        }
    }
}
