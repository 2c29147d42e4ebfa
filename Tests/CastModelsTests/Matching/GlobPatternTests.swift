import CastModels
import Testing

@Suite("A glob")
struct GlobPatternTests {
    @Test(
        "uses globs with * and ?",
        arguments: [
            ("*", "", true), ("?", "", false), ("a*c", "abbbc", true), ("a*c", "abbbd", false), ("*a*b*", "xxaxxbxx", true),
            ("a?c", "abc", true),
            ("A*", "abc", true), ("**", "x", true), ("a", "ab", false), ("*.b", "a.b.b", true),
        ])
    func glob(pattern: String, text: String, matches: Bool) { #expect(GlobPattern(pattern)?.matches(text) == matches) }

    @Test("takes no exponential time")
    func time() {
        let glob = GlobPattern(String(repeating: "*a", count: 90))
        #expect(glob?.matches(String(repeating: "a", count: 3000) + "b") == false)
        #expect(GlobPattern("") == nil)
        #expect(GlobPattern(String(repeating: "x", count: 201)) == nil)
    }

    @Test(
        "fits whole texts, whatever their case",
        arguments: [
            ("a", "A", true), ("liv*", "Living Room", true), ("*room", "Living Room", true), ("*ing*oo*", "Living Room", true),
            ("l?ving*", "Living Room", true), ("living", "Living Room", false), ("?", "ü", true), ("**a**", "bab", true),
            ("*a", "ab", false),
            ("[ab]", "a", false),
        ])
    func fits(pattern: String, text: String, fits: Bool) { #expect(GlobPattern(pattern)?.matches(text) == fits) }
}
