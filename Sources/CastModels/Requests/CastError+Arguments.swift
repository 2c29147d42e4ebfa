/// Checks of a caller's arguments. Each throws `invalidRequest` with the name of the argument, before anything is sent.
extension CastError {
    /// Returns the error for an invalid argument.
    ///
    /// - Parameters:
    ///   - name: the argument, as a path (`media.tracks[1].language`).
    ///   - why: the fault, without the value when that may be a secret.
    public static func invalidArgument(_ name: String, _ why: String) -> Self { Self(.invalidRequest, detail: why, argument: name) }

    /// Checks seconds of media: `nil`, or finite and not negative.
    package static func checkSeconds(_ value: Double?, _ name: String) throws(CastError) {
        guard let value else { return }
        guard value.isFinite, value >= 0, value <= Self.maximumSeconds else {
            throw Self.invalidArgument(name, "seconds, 0 or more, not \(value)")
        }
    }

    /// Checks seconds of media that may be negative: `nil`, or finite.
    package static func checkOffset(_ value: Double?, _ name: String) throws(CastError) {
        guard let value else { return }
        guard value.isFinite, abs(value) <= Self.maximumSeconds else { throw Self.invalidArgument(name, "seconds, not \(value)") }
    }

    /// Checks a number: `nil`, or within `range`.
    package static func check(_ value: Double?, in range: ClosedRange<Double>, _ name: String) throws(CastError) {
        guard let value else { return }
        guard range.contains(value) else {
            throw Self.invalidArgument(name, "a number from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
    }

    /// Checks a text: `nil`, or not empty.
    package static func checkText(_ value: String?, _ name: String) throws(CastError) {
        guard let value else { return }
        guard !value.isEmpty else { throw Self.invalidArgument(name, "an empty text") }
    }

    /// About 30 000 years; larger values overflow in receivers.
    private static let maximumSeconds = 1e12
}
