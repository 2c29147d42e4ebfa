/// What becomes of a session whose link breaks.
public enum ResumePolicy: Sendable, Hashable {
    /// It ends.
    case never
    /// It resumes if the device is back within this time, and ends otherwise.
    case within(Duration)
    /// It resumes whenever the device is back.
    case always

    /// `nil` without a limit.
    var limit: Duration? { if case .within(let limit) = self { limit } else { nil } }
}
