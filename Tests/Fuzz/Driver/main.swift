import CFuzzer
import Glibc

// fuzz TARGET [libFuzzer's own arguments]: feeds the target inputs that reach ever more of it.
// fuzz --seeds TARGET FOLDER: writes valid inputs to begin with.
// fuzz --dictionary TARGET: prints the words of its inputs.
// fuzz --list: the targets' names.

let words = CommandLine.arguments

func target(named name: String?) -> any FuzzTarget.Type {
    if let found = allTargets.first(where: { $0.name == name }) { return found }
    print("usage: fuzz TARGET [arguments], with TARGET one of \(allTargets.map { $0.name }.joined(separator: ", "))")
    exit(64)
}

func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else {
        print("cannot write \(path)")
        exit(73)
    }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

switch words.dropFirst().first {
case "--list":
    for target in allTargets { print(target.name) }
case "--seeds":
    let folder = words.count > 3 ? words[3] : "."
    let target = target(named: words.count > 2 ? words[2] : nil)
    for (number, seed) in target.seeds.enumerated() { write(seed, to: "\(folder)/seed-\(number)") }
case "--dictionary":
    print(target(named: words.count > 2 ? words[2] : nil).dictionary, terminator: "")
default:
    chosen = target(named: words.count > 1 ? words[1] : nil)
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    exit(
        LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            chosen.run(Array(UnsafeBufferPointer(start: data, count: size)))
            return 0
        })
}
