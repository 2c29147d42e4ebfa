/// What discovery learnt, in the order in which it happened. Devices never go: only their addresses do.
public enum DeviceChange: Sendable, Hashable {
    case found(Device)
    /// Name, model, capabilities, identity or text differ; addresses may, too.
    case changed(Device)
    /// Only its addresses differ.
    case addressesChanged(Device)
    /// It was heard again and said nothing new.
    case sighted(Device.ID)
    /// A network interface came, went or changed its addresses: every device may be reachable, or gone.
    case networkChanged
}
