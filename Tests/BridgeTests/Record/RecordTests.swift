import BridgeCore
import NIOCore
import Testing

@testable import Bridge

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The state file", .timeLimit(.minutes(10)))
struct RecordTests {
    private static let announced = HomeAssistantOptions(mode: .device)

    @Test("is written a few times for five hundred new devices, and hardly for a known fleet")
    func fleet() async throws {
        let world = try BridgeWorld(devices: 500, homeAssistant: Self.announced, isKnown: false)
        world.broker.set { $0.keepsJournal = false }
        try await world.start()
        var found = 0
        let first = await world.versions(during: .seconds(10), step: .milliseconds(100)) {
            guard found < 500 else { return }
            await world.find(found..<found + 10)
            found += 10
        }
        let minute = await world.versions(during: .seconds(50), step: .milliseconds(500))
        #expect(first + minute <= 12, "\(first) and \(minute)")
        #expect(await world.isComplete())
        #expect(world.broker.set { $0.retained.keys.count { $0.hasPrefix("homeassistant/device/") } } == 501, "all are announced")
        #expect(Set(world.broker.set { $0.retained.keys }).isSubset(of: world.topicsOnDisk))
        #expect(await world.leave() != nil)
        let file = world.stateFile
        await world.end()

        let again = try BridgeWorld(devices: 500, homeAssistant: Self.announced, stateFile: file)
        again.broker.set { $0.keepsJournal = false }
        try await again.start()
        let start = await again.versions(during: .seconds(60), step: .milliseconds(500))
        #expect(start <= 3, "\(start)")
        #expect(await again.isComplete())
        await again.end()
    }

    @Test("is never written in an idle hour")
    func idle() async throws {
        let world = try await BridgeWorld.settled(devices: 10)
        await world.advance(.seconds(60), step: .seconds(1))
        #expect(await world.versions(during: .hours(1), step: .seconds(30)) == 0)
        #expect(await world.isComplete())
        await world.end()
    }

    @Test("is written before a topic is used", arguments: [HomeAssistantOptions.Mode.device, .components, .off])
    func beforeUse(mode: HomeAssistantOptions.Mode) async throws {
        let world = try BridgeWorld(devices: 20, homeAssistant: HomeAssistantOptions(mode: mode), isKnown: false)
        try await world.start()
        await world.find()
        var unrecorded: Set<String> = []
        let count = await world.versions(during: .seconds(20), step: .milliseconds(20)) {
            unrecorded.formUnion(Set(world.broker.set { $0.retained.keys }).subtracting(world.topicsOnDisk))
        }
        #expect(unrecorded == [])
        #expect(await world.isComplete())
        #expect((1...12).contains(count), "\(count)")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("is written at the end, with what is not urgent")
    func atTheEnd() async throws {
        let world = try await BridgeWorld.settled(devices: 2)
        await world.advance(.seconds(60), step: .seconds(1))
        let id = world.devices[0].description.id
        let seen = Timestamp(milliseconds: 1_900_000_000_000)
        await world.look { $0.record.update(id, .later) { $0.lastSeen = seen } }
        let known = { StateFile.read(world.stateFile).file.devices.first { $0.id == id } }
        #expect(known()?.lastSeen != seen)
        #expect(await world.leave() != nil)
        #expect(known()?.lastSeen == seen)
        await world.end()
    }

    @Test("is written when a disk that hung answers again; meanwhile the bridge goes online and stops")
    func hangingDisk() async throws {
        let world = try BridgeWorld(devices: 2, isKnown: false)
        world.waitsForDisk.value = false
        // Opening this file for writing waits until it is opened for reading.
        let pipe = world.directory + "/devices.jsonl.new"
        #expect(mkfifo(pipe, 0o600) == 0)
        try await world.start()
        await world.find()
        await world.advance(.seconds(4))
        #expect(!world.broker.isOnline, "nothing is used before it is on record")
        await world.advance(.seconds(6))
        #expect(await world.isComplete())
        // The write fails now, since a pipe takes no `fsync`, and the next one goes to a file.
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        #expect(reader >= 0)
        world.waitsForDisk.value = true
        await world.advance(.seconds(40), step: .milliseconds(100))
        close(reader)
        #expect(Set(world.broker.set { $0.retained.keys }).isSubset(of: world.topicsOnDisk))

        world.waitsForDisk.value = false
        #expect(mkfifo(pipe, 0o600) == 0)
        await world.announce("Another name")
        await world.look { $0.record.update(world.devices[0].description.id) { $0.lastSeen = nil } }
        let took = try #require(await world.leave())
        #expect(took >= .seconds(2) && took <= .milliseconds(3500))
        close(open(pipe, O_RDONLY | O_NONBLOCK))
        unlink(pipe)
        await world.end()
    }

    @Test("is written, or the answer says that a change is lost at the next start, with cause and remedy, until it is written again")
    func answers() async throws {
        let world = try await BridgeWorld.settled()
        await world.advance(.seconds(60), step: .seconds(1))
        // Root may write everywhere, but not into a directory.
        let obstacle = world.directory + "/devices.jsonl.new"
        #expect(mkdir(obstacle, 0o700) == 0)
        let requests = [
            ("device/options", #"{"device":"sim-001","area":"Attic"}"#), ("device/rename", #"{"device":"sim-001","slug":"attic"}"#),
            ("device/remove", #"{"device":"sim-001","forget":true}"#),
        ]
        for (verb, payload) in requests.dropLast() {
            try await world.request(verb, payload)
            await world.advance(.seconds(3))
            let answer = try #require(world.answers(to: verb).last)
            for part in [#""status":"ok""#, #""code":"done""#, #""remembered":false"#, "lost at the next start", "Is a directory"] {
                #expect(answer.contains(part), "\(verb): \(answer)")
            }
        }
        #expect(rmdir(obstacle) == 0)
        await world.advance(.seconds(60), step: .seconds(1))
        for (verb, payload) in requests.reversed() {
            try await world.request(verb, payload.replacing("Attic", with: "Hall").replacing("attic", with: "hall"))
            await world.advance(.seconds(5))
            let answer = try #require(world.answers(to: verb).last)
            #expect(!answer.contains("remembered") || answer.contains("unknown_device"), "\(verb): \(answer)")
        }
        await world.end()
    }

    @Test("is not damaged when it is empty, because somebody made it to mount it")
    func empty() async throws {
        let world = try BridgeWorld(isKnown: false)
        #expect(creat(world.directory + "/devices.jsonl", 0o600) >= 0)
        try await world.start()
        await world.find()
        #expect(await world.advance(until: { await world.isComplete() }, limit: .seconds(10)) != nil)
        #expect(access(world.directory + "/devices.jsonl.damaged", F_OK) != 0)
        await world.end()
    }

    @Test("is written nowhere when an existing file can't be read")
    func unreadable() async throws {
        let world = try BridgeWorld(isKnown: false)
        // Root can read every file, but not a directory.
        let path = world.directory + "/devices.jsonl"
        #expect(mkdir(path, 0o700) == 0)
        try await world.start()
        await world.find()
        #expect(await world.advance(until: { await world.isComplete() }, limit: .seconds(10)) != nil)
        #expect(await world.leave() != nil)
        #expect(rmdir(path) == 0, "it is still there")
        await world.end()
    }
}
