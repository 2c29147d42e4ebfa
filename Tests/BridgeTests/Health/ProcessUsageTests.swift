import Glibc
import Testing

@testable import Bridge

@Suite("The resources of the process")
struct ProcessUsageTests {
    @Test("everything is read from /proc")
    func reads() throws {
        let usage = ProcessUsage.read()
        #expect(try #require(usage.residentMegabytes) > 1)
        #expect(try #require(usage.cpuSeconds) > 0)
        #expect(try #require(usage.threads) >= 1)
        #expect(try #require(usage.fileDescriptors) >= 1)
    }

    @Test("open descriptors are counted")
    func countsDescriptors() throws {
        let opened = (0..<200).map { _ in dup(STDIN_FILENO) }
        let many = try #require(ProcessUsage.read().fileDescriptors)
        for descriptor in opened { close(descriptor) }
        #expect(opened.allSatisfy { $0 >= 0 })
        // Other tests open and close some of their own meanwhile.
        #expect(many >= 200)
    }
}
