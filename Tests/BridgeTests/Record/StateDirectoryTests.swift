import BridgeCore
import CastTestSupport
import Dispatch
import Logging
import Testing

@testable import Bridge

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The state directory")
struct StateDirectoryTests {
    private func withDirectory(_ body: (StateDirectory) throws -> Void) throws {
        var template = Array("/tmp/cast2mqtt-state-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw DidNotHappen() }
        let directory = try StateDirectory(path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        defer {
            for name in ["lock", "devices.jsonl", "devices.jsonl.damaged"] { directory.remove(name) }
            rmdir(directory.path)
        }
        try body(directory)
    }

    @Test("has no file at first, which is not an error")
    func empty() throws {
        try self.withDirectory { directory in
            #expect(try directory.read("devices.jsonl") == nil)
            let (file, isDamaged) = try StateKeeper(directory).load(Logger(label: "test"))
            #expect(file == StateFile() && !isDamaged)
        }
    }

    @Test("names a file that can't be read, and its owner")
    func unreadable() throws {
        try self.withDirectory { directory in
            let path = directory.path + "/devices.jsonl"
            #expect(mkdir(path, 0o700) == 0)
            defer { rmdir(path) }
            #expect(throws: StateDirectory.Problem.notReadable(path: path, errno: EISDIR, owner: geteuid())) {
                try directory.read("devices.jsonl")
            }
        }
    }

    @Test("has a file that is replaced only when its content differs, and not for another order of the devices")
    func unchanged() throws {
        try self.withDirectory { directory in
            let devices = ["a", "b"].map { KnownDevice(id: $0, slug: $0, name: $0) }
            try directory.write("devices.jsonl", StateFile(devices: devices).bytes)
            let keeper = StateKeeper(directory)
            _ = try keeper.load(Logger(label: "test"))
            /// The number of the file after a write, which is that of a new file when it was replaced.
            func save(_ devices: [KnownDevice]) -> UInt {
                let done = DispatchSemaphore(value: 0)
                keeper.save(StateFile(devices: devices)) { _ in done.signal() }
                done.wait()
                var status = stat()
                stat(directory.path + "/devices.jsonl", &status)
                return UInt(status.st_ino)
            }
            let first = save(devices)
            #expect(save(devices.reversed()) == first)
            let second = save([devices[0]])
            #expect(second != first && save([devices[0]]) == second)
            #expect(try directory.read("devices.jsonl")?.bytes == StateFile(devices: [devices[0]]).bytes)
        }
    }

    @Test("sets a file aside that is damaged or too large, and uses what can be read", arguments: [false, true])
    func setAside(isTooLarge: Bool) throws {
        try self.withDirectory { directory in
            var bytes = StateFile(devices: [KnownDevice(id: "a", slug: "a", name: "A")]).bytes
            if isTooLarge {
                bytes += [UInt8](repeating: 0x0A, count: StateDirectory.limit)
            } else {
                bytes += Array("rubbish\n".utf8)
            }
            try directory.write("devices.jsonl", bytes)
            #expect(try directory.read("devices.jsonl")?.isWhole == !isTooLarge)
            let (file, isDamaged) = try StateKeeper(directory).load(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            #expect(file.devices.map(\.id) == ["a"] && isDamaged)
            #expect(try directory.read("devices.jsonl") == nil)
            #expect(try directory.read("devices.jsonl.damaged")?.bytes.starts(with: bytes.prefix(1000)) == true)
        }
    }
}
