/// Checks of a caller's arguments. Each throws `invalidRequest` with the argument's name and before anything is sent.
extension CastError {
    /// - Parameters:
    ///   - name: the argument, as a path (`media.tracks[1].language`).
    ///   - why: what is wrong with it, without its value when that may be a secret.
    public static func invalidArgument(_ name: String, _ why: String) -> Self { Self(.invalidRequest, detail: why, argument: name) }

    /// Seconds of media, none or finite and not negative.
    package static func checkSeconds(_ value: Double?, _ name: String) throws(CastError) {
        guard let value else { return }
        guard value.isFinite, value >= 0, value <= Self.maximumSeconds else {
            throw Self.invalidArgument(name, "seconds, 0 or more, not \(value)")
        }
    }

    /// Seconds of media that may be negative, none or finite.
    package static func checkOffset(_ value: Double?, _ name: String) throws(CastError) {
        guard let value else { return }
        guard value.isFinite, abs(value) <= Self.maximumSeconds else { throw Self.invalidArgument(name, "seconds, not \(value)") }
    }

    /// A number within `range`, or none.
    package static func check(_ value: Double?, in range: ClosedRange<Double>, _ name: String) throws(CastError) {
        guard let value else { return }
        guard range.contains(value) else {
            throw Self.invalidArgument(name, "a number from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
    }

    /// A text that is not empty, or none.
    package static func checkText(_ value: String?, _ name: String) throws(CastError) {
        guard let value else { return }
        guard !value.isEmpty else { throw Self.invalidArgument(name, "an empty text") }
    }

    /// Some 30 000 years: more would not survive a receiver's arithmetic.
    private static let maximumSeconds = 1e12
}
