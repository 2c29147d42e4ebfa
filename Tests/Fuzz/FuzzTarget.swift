import Glibc

/// One entrance for bytes that others choose.
protocol FuzzTarget: Sendable {
    static var name: String { get }
    /// Valid inputs; what the fuzzer finds grows from them.
    static var seeds: [[UInt8]] { get }
    /// Uses `input` as the program would, and checks what must hold whatever it is. A finding is a crash.
    static func run(_ input: [UInt8])
}

let allTargets: [any FuzzTarget.Type] = [
    FrameTarget.self, MessageTarget.self, JSONTarget.self, PayloadTarget.self, CommandTarget.self, DNSTarget.self,
]

/// The one of this process. libFuzzer's callback can capture nothing, and calls it from the thread that starts it.
nonisolated(unsafe) var chosen: any FuzzTarget.Type = FrameTarget.self

private let isPlanted = getenv("FUZZ_PLANTED") != nil

/// A bug put in on purpose when `FUZZ_PLANTED` is set, to show that the fuzzer finds such a thing.
func planted(_ bug: @autoclosure () -> Bool) {
    if isPlanted, bug() { fatalError("the planted bug") }
}

/// What must hold.
func require(_ condition: Bool, _ what: StaticString) {
    if !condition { fatalError("\(what)") }
}
