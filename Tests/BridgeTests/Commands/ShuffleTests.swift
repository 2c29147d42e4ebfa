import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Shuffle", .timeLimit(.minutes(10)))
struct ShuffleTests {
    @Test(
        "it can be turned on and off, whatever the receiver reports of it",
        arguments: [nil, Habit.queueDataAlways, .queueDataWithoutShuffle])
    func onAndOff(habit: Habit?) async throws {
        let world = try await BridgeWorld.settled(split: .basic)
        let device = world.devices[0]
        if let habit { try await world.act { try device.perform(.habit(habit, true)) } }
        let items = (1...6).map { #"{"url":"http://media/\#($0).mp3","duration":600}"# }.joined(separator: ",")
        try await world.send("cmd/queue_load", #"{"items":[\#(items)]}"#)
        await world.advance(.seconds(5))
        #expect(world.held("status/player") == "playing" && world.held("status/shuffle") == "OFF")
        for word in ["ON", "OFF", "ON", "OFF"] {
            try await world.send("set/shuffle", word)
            await world.advance(.seconds(5))
            #expect(world.held("status/shuffle") == word)
            #expect(world.held("state")?.contains(#""shuffle":\#(word == "ON")"#) == true)
            #expect(device.truth("shuffled")?.boolean == (word == "ON"))
        }
        #expect(world.broker.violations == [])
        await world.end()
    }
}
