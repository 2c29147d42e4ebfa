import Testing

@testable import Dashboard

@Suite struct PageFileTests {
    @Test func index() {
        #expect(PageFile.all.contains { $0.path == "index.html" })
        #expect(PageFile.version.count == 16)
    }

    @Test func noFileOfAnEditor() {
        let names = PageFile.all.flatMap { $0.path.split(separator: "/") }
        #expect(!names.contains { $0.hasPrefix(".") || $0.hasSuffix("~") })
    }
}
