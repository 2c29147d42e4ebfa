import CastModels

/// Whose documents: each owner's retained topics are formed, compared and sent together.
public enum DocumentOwner: Sendable, Hashable {
    case bridge
    case device(Device.ID)
}
