import Testing

/// Compiles the fuzz targets with every test run and shows that they work, without libFuzzer.
@Suite("Fuzz targets")
struct SeedTests {
    @Test("take their seeds, each seed cut short, and changes that keep the format", arguments: allTargets.map { $0.name })
    func seeds(name: String) throws {
        let target = try #require(allTargets.first { $0.name == name })
        #expect(!target.seeds.isEmpty)
        var random = MutationRandom(state: 1)
        for seed in target.seeds {
            target.run(seed)
            target.run(Array(seed.dropLast()))
            for _ in 0..<10 { if let changed = target.changed(seed, by: &random) { target.run(changed) } }
        }
    }

    @Test("have a name each, and words for libFuzzer")
    func names() {
        #expect(Set(allTargets.map { $0.name }).count == allTargets.count)
        for target in allTargets { #expect(!target.dictionary.isEmpty) }
    }
}
