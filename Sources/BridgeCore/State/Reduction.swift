/// One event of a device as it is applied: the time and the options, and what results so far.
struct Reduction {
    let now: Now
    let options: DeviceOptions
    var documents: DeviceDocuments = []
    private(set) var outputs: [DeviceOutput] = []

    init(at now: Now, _ options: DeviceOptions) { (self.now, self.options) = (now, options) }

    mutating func report(_ event: PublishedEvent) { self.add(.event(event)) }

    mutating func report(_ event: BridgeEvent) { self.add(.bridgeEvent(event)) }

    mutating func add(_ output: DeviceOutput) {
        // Room for the usual outputs: an event, the documents and a deadline.
        if self.outputs.isEmpty { self.outputs.reserveCapacity(3) }
        self.outputs.append(output)
    }

    /// Takes back the outputs after the first `count`.
    mutating func keep(_ count: Int) { self.outputs.removeSubrange(count...) }
}
