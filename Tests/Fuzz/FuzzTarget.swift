import Glibc

/// One entrance for bytes that others choose.
protocol FuzzTarget: Sendable {
    static var name: String { get }
    /// Valid inputs; what the fuzzer finds grows from them.
    static var seeds: [[UInt8]] { get }
    /// Words that valid inputs are made of, beside those of the seeds.
    static var words: [String] { get }
    /// The same for formats that are no text: tags with a length, numbers of a kind.
    static var tokens: [[UInt8]] { get }
    /// Whether words of the seeds mean anything to the format itself.
    static var takesWordsOfSeeds: Bool { get }
    /// The input with something changed that keeps its format; `nil` when it doesn't have it.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]?
    /// Uses `input` as the program would, and checks what must hold whatever it is. A finding is a crash.
    static func run(_ input: [UInt8])
}

extension FuzzTarget {
    static var words: [String] { [] }
    static var tokens: [[UInt8]] { [] }
    static var takesWordsOfSeeds: Bool { true }

    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? { nil }

    /// libFuzzer's dictionary (its documentation, "Dictionaries"): what it puts in where flipped bits would never make a word.
    static var dictionary: String {
        let texts =
            !Self.takesWordsOfSeeds
            ? []
            : Self.seeds.flatMap {
                $0.split { !($0 >= 0x2D && $0 <= 0x3A || $0 >= 0x41 && $0 <= 0x5A || $0 == 0x5F || $0 >= 0x61 && $0 <= 0x7A) }
            }
        let found = texts.filter { (3...40).contains($0.count) }.map(Array.init)
        let lines = (found + Self.words.map { Array($0.utf8) } + Self.tokens).map { "\"\($0.map(Self.escaped).joined())\"\n" }
        return Set(lines).sorted().joined()
    }

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F...:
            "\\x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        default: String(decoding: [byte], as: UTF8.self)
        }
    }
}

let allTargets: [any FuzzTarget.Type] = [
    FrameTarget.self, MessageTarget.self, JSONTarget.self, PayloadTarget.self, CommandTarget.self, DNSTarget.self, CertificateTarget.self,
    ConfigurationTarget.self, StateTarget.self,
    MediaTarget.self,
]

private let isPlanted = getenv("FUZZ_PLANTED") != nil

/// A bug put in on purpose when `FUZZ_PLANTED` is set, to show that the fuzzer finds such a thing.
func planted(_ bug: @autoclosure () -> Bool) {
    if isPlanted, bug() { fatalError("the planted bug") }
}

/// An invariant that must hold.
func require(_ condition: Bool, _ what: StaticString) {
    if !condition { fatalError("\(what)") }
}
