/// What discovery learnt, in the order in which it happened.
public enum DeviceChange: Sendable, Hashable {
    case found(Device)
    /// Name, model, capabilities, identity or text differ; addresses may, too.
    case changed(Device)
    /// Only its addresses differ.
    case addressesChanged(Device)
    /// It was heard again and said nothing new.
    case sighted(Device.ID)
    /// Its announcements ended: it said goodbye, or they expired. It may be reachable all the same, so its last addresses stay known until
    /// newer devices need the room, which reports `lost` once more. The next change that names the device reports its return.
    case lost(Device.ID)
    /// A network interface came, went or changed its addresses: every device may be reachable, or gone.
    case networkChanged
}
