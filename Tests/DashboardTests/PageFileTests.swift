import Testing

@testable import Dashboard

@Suite struct PageFileTests {
    @Test("the page has its index and a version")
    func index() {
        #expect(PageFile.all.contains { $0.path == "index.html" })
        #expect(PageFile.version.count == 16)
    }

    @Test("no file of an editor is embedded")
    func noFileOfAnEditor() {
        let names = PageFile.all.flatMap { $0.path.split(separator: "/") }
        #expect(!names.contains { $0.hasPrefix(".") || $0.hasSuffix("~") })
    }
}
