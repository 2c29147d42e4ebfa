import MQTTClient

/// The bridges that use the same base: one that a bridge alone waits for, or the other member of a pair.
struct OtherBridges {
    let search: RepeatedBridgeSearch
    /// `nil` for a bridge alone.
    let pair: Pair?

    init(
        _ context: BridgeContext, onProtocolChosen: @escaping (MQTTProtocolVersion) -> Void, onPairEvent: @escaping (Pair.Event) -> Void
    ) {
        self.search = RepeatedBridgeSearch(context, onProtocolChosen: onProtocolChosen)
        self.pair = context.settings.pair.flatMap { settings in
            context.lease.map { Pair(context, settings, lease: $0, onEvent: onPairEvent) }
        }
    }
}
