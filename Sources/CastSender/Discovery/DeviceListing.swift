import CastModels

/// The list of devices for users, and its observers.
struct DeviceListing {
    struct Observed {
        fileprivate(set) var list: DeviceList
        let states: StateSource<[Device]>
        let changes = EventSource<DeviceListChange>(capacity: 1024)
    }

    /// `nil` until a caller asks for the list: it costs a sorted insertion for each change.
    private(set) var observed: Observed?
    /// The devices that stay although their announcements have ended.
    private(set) var kept: Set<Device.ID> = []
    private var hasEnded = false

    /// Begins the list with these devices, in any order.
    mutating func observe(_ devices: [Device]) -> Observed {
        let list = DeviceList(devices)
        let observed = Observed(list: list, states: StateSource(list.devices))
        self.observed = observed
        if self.hasEnded { self.finish() }
        return observed
    }

    /// - Parameter device: `nil` when it does not belong to the list.
    mutating func update(_ id: Device.ID, _ device: Device?) {
        guard let change = if let device { self.observed?.list.apply(device) } else { self.observed?.list.remove(id) } else { return }
        if let observed { observed.states.set(observed.list.devices) }
        self.observed?.changes.send(change)
    }

    /// Keeps these devices instead of the former ones.
    /// - Returns: those that may come or go.
    mutating func keep(_ ids: Set<Device.ID>) -> [Device.ID] {
        defer { self.kept = ids }
        return self.kept.symmetricDifference(ids).sorted()
    }

    /// Ends the sequences; no further change follows.
    mutating func finish() {
        self.hasEnded = true
        self.observed?.states.finish()
        self.observed?.changes.finish()
    }
}
