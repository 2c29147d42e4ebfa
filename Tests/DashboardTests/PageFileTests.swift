import Testing

@testable import Dashboard

@Suite struct PageFileTests {
    @Test func index() {
        #expect(PageFile.all.contains { $0.path == "index.html" })
        #expect(PageFile.version.count == 16)
    }
}
