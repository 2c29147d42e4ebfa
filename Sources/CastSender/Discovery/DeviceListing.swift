/// The list of devices for users, and its observers.
struct DeviceListing {
    private(set) var list: DeviceList
    let states: StateSource<[Device]>
    let changes = EventSource<DeviceListChange>(capacity: 1024)

    init(_ devices: [Device]) {
        self.list = DeviceList(devices)
        self.states = StateSource(self.list.devices)
    }

    /// - Parameter device: `nil` when it does not belong to the list.
    mutating func update(_ id: Device.ID, _ device: Device?) {
        let change = if let device { self.list.apply(device) } else { self.list.remove(id) }
        guard let change else { return }
        self.states.set(self.list.devices)
        self.changes.send(change)
    }

    /// Ends the sequences; no further change follows.
    func finish() {
        self.states.finish()
        self.changes.finish()
    }
}
