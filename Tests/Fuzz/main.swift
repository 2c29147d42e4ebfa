import CFuzzer
import Glibc

// fuzz TARGET [libFuzzer's own arguments]: feeds the target inputs that reach ever more of it.
// fuzz --seeds TARGET FOLDER: writes valid inputs to begin with.
// fuzz --list: the targets' names.

let words = CommandLine.arguments

func target(named name: String?) -> any FuzzTarget.Type {
    if let found = allTargets.first(where: { $0.name == name }) { return found }
    print("usage: fuzz TARGET [arguments], with TARGET one of \(allTargets.map { $0.name }.joined(separator: ", "))")
    exit(64)
}

switch words.dropFirst().first {
case "--list":
    for target in allTargets { print(target.name) }
case "--seeds":
    let folder = words.count > 3 ? words[3] : "."
    for (number, seed) in target(named: words.count > 2 ? words[2] : nil).seeds.enumerated() {
        guard let file = fopen("\(folder)/seed-\(number)", "w") else {
            print("cannot write into \(folder)")
            exit(73)
        }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
    }
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
