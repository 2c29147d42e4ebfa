/// The treatment of a session whose link breaks.
public enum ResumePolicy: Sendable, Hashable {
    /// The session ends.
    case never
    /// The session resumes if the device is reachable again within this time, and ends otherwise.
    case within(Duration)
    /// The session resumes whenever the device is reachable again.
    case always

    /// The time limit; `nil` without one.
    var limit: Duration? { if case .within(let limit) = self { limit } else { nil } }
}
