/// A change that discovery found, in order of occurrence.
public enum DeviceChange: Sendable, Hashable {
    case found(Device)
    /// Name, model, capabilities, identity or text changed; addresses may have changed, too.
    case changed(Device)
    /// Only the addresses changed.
    case addressesChanged(Device)
    /// The device was announced again without changes.
    case sighted(Device.ID)
    /// The announcements of the device ended, with a goodbye or by expiry. It may still be reachable, so its last addresses are kept until
    /// newer devices need the room, which is reported as `lost` again. The next change that names the device reports its return.
    case lost(Device.ID)
    /// A network interface appeared, disappeared or changed its addresses: the reachability of every device may have changed.
    case networkChanged
}
