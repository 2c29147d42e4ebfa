import CastModels
import Testing

@testable import CastSender

@Suite("Patterns of wanted devices")
struct DiscoveryCriteriaTests {
    private func globs(_ patterns: [String]) -> [GlobPattern] { patterns.compactMap(GlobPattern.init) }

    @Test(
        "match id, name or model; exclusion wins",
        arguments: [
            ([], [], true), (["Living*"], [], true), (["kitchen*"], [], false), (["4f1c*"], [], true), (["chromecast ?ltra"], [], true),
            ([], ["*room"], false), (["*"], ["Chromecast*"], false), (["kitchen", "*room"], ["bed*"], true),
        ] as [([String], [String], Bool)])
    func matches(include: [String], exclude: [String], isWanted: Bool) {
        let criteria = DiscoveryCriteria(include: self.globs(include), exclude: self.globs(exclude))
        let device = Device(id: "4f1c9a0e", friendlyName: "Living Room", modelName: "Chromecast Ultra")
        #expect(criteria.matches(device) == isWanted)
    }
}
