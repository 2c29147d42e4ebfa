/// The interfaces in use, and the changes since the last check of the system. Pure.
struct InterfaceTable {
    enum Change: Equatable {
        case added(NetworkInterface)
        /// Addresses or the carrier changed; `hasMoved` when none of the previous networks remains.
        case changed(NetworkInterface, hasMoved: Bool)
        case removed(NetworkInterface)
    }

    private let selection: InterfaceSelection
    private let maximumCount: Int
    private(set) var interfaces: [UInt32: NetworkInterface] = [:]
    /// The interfaces selected by name that are missing, down or without an address.
    private(set) var unusable: [String] = []

    init(selection: InterfaceSelection, maximumCount: Int) { (self.selection, self.maximumCount) = (selection, maximumCount) }

    mutating func update(_ all: [NetworkInterface]) -> [Change] {
        let chosen = all.filter(self.selection.allows).sorted { $0.index < $1.index }.prefix(self.maximumCount)
        var changes: [Change] = []
        for old in self.interfaces.values.sorted(by: { $0.index < $1.index }) where !chosen.contains(where: { $0.scope == old.scope }) {
            self.interfaces[old.index] = nil
            changes.append(.removed(old))
        }
        for new in chosen {
            switch self.interfaces.updateValue(new, forKey: new.index) {
            case nil: changes.append(.added(new))
            case new: break
            case let old?: changes.append(.changed(new, hasMoved: !new.sharesNetwork(with: old)))
            }
        }
        if case .named(let names) = self.selection {
            self.unusable = names.filter { name in !self.interfaces.values.contains { $0.name == name } }
        }
        return changes
    }
}
