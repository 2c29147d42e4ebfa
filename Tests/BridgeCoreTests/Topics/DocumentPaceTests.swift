import CastModels
import TestSupport
import Testing

@testable import BridgeCore

@Suite("The pace of documents")
struct DocumentPaceTests {
    private func at(_ seconds: Double) -> MonotonicTime { StateFixture.monotonic(seconds) }

    @Test("what changes first goes at once, four times within a second; the rest goes together when a second is over")
    func burst() {
        var pace = DocumentPace()
        for time in [0.0, 0.01, 0.02, 0.03] {
            #expect(pace.changed([.state, .plain], isSettling: false, at: self.at(time)) == [.state, .plain])
            #expect(pace.nextDeadline == nil)
        }
        #expect(pace.changed(.state, isSettling: false, at: self.at(0.04)) == [])
        #expect(pace.changed([.plain, .app], isSettling: false, at: self.at(0.5)) == [])
        #expect(pace.nextDeadline == self.at(1))
        #expect(pace.release(at: self.at(0.9)) == [])
        #expect(pace.release(at: self.at(1)) == [.state, .plain, .app])
        #expect(pace.nextDeadline == nil)
        #expect(pace.changed(.state, isSettling: false, at: self.at(1.005)) == [])
        #expect(pace.nextDeadline == self.at(1.01))
    }

    @Test("availability and facts wait for nothing, and cost nothing")
    func unpaced() {
        var pace = DocumentPace()
        for time in 0..<20 {
            #expect(
                pace.changed([.availability, .info, .listing], isSettling: false, at: self.at(Double(time) * 0.01)) == DocumentPace.unpaced)
        }
        #expect(pace.changed([.availability, .state], isSettling: false, at: self.at(0.3)) == [.availability, .state])
    }

    @Test("the queue goes at most every two seconds, at last as it is then")
    func queue() {
        var pace = DocumentPace()
        #expect(pace.changed([.queue, .state], isSettling: false, at: self.at(0)) == [.queue, .state])
        #expect(pace.changed([.queue, .state], isSettling: false, at: self.at(0.5)) == .state)
        #expect(pace.nextDeadline == self.at(2))
        #expect(pace.release(at: self.at(2)) == .queue)
        #expect(pace.nextDeadline == nil)
    }

    @Test("media waits while an item settles, but not longer than two seconds")
    func media() {
        var pace = DocumentPace()
        #expect(pace.changed(.playback, isSettling: true, at: self.at(0)) == [.state, .playerValues])
        #expect(pace.nextDeadline == self.at(2))
        #expect(pace.changed(.playback, isSettling: false, at: self.at(0.8)) == .playback)
        #expect(pace.nextDeadline == nil)
        #expect(pace.changed(.playback, isSettling: true, at: self.at(5)) == [.state, .playerValues])
        #expect(pace.release(at: self.at(7)) == .media)
        #expect(pace.nextDeadline == nil)
    }

    @Test("all documents go together, however late: a part of them would keep topics that are not among them")
    func whole() {
        var pace = DocumentPace()
        #expect(pace.changed([.queue, .media], isSettling: true, at: self.at(0)) == .queue)
        #expect(pace.changed(.all, isSettling: true, at: self.at(0.1)) == .all)
        #expect(pace.nextDeadline == nil)
        for time in [0.2, 0.3] { #expect(pace.changed(.state, isSettling: false, at: self.at(time)) == .state) }
        #expect(pace.changed(.all, isSettling: true, at: self.at(0.4)) == [.availability, .info])
        #expect(pace.changed([.availability, .queue], isSettling: true, at: self.at(0.5)) == .availability)
        #expect(pace.nextDeadline == self.at(1))
        #expect(pace.release(at: self.at(0.9)) == [])
        #expect(pace.release(at: self.at(1)) == .all)
        #expect(pace.nextDeadline == nil)
    }

    @Test("whatever happens, no more than four rounds go in a second, and what changed last goes", arguments: 0..<40)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pace = DocumentPace()
        var (time, rounds, queues): (Double, [Double], [Double]) = (0, [], [])
        var unsent: DeviceDocuments = []
        func sent(_ documents: DeviceDocuments) {
            unsent.subtract(documents)
            if !documents.subtracting(DocumentPace.unpaced).isEmpty { rounds.append(time) }
            if documents.contains(.queue) { queues.append(time) }
        }
        for _ in 0..<300 {
            let next = time + Double.random(in: 0..<0.4, using: &random)
            while let deadline = pace.nextDeadline, deadline <= self.at(next) {
                time = max(time, deadline.seconds(since: self.at(0)))
                sent(pace.release(at: self.at(time)))
            }
            time = next
            let documents = DeviceDocuments(rawValue: UInt16.random(in: 0..<1024, using: &random))
            unsent.formUnion(documents)
            sent(pace.changed(documents, isSettling: Bool.random(using: &random), at: self.at(time)))
        }
        while let deadline = pace.nextDeadline {
            time = max(time, deadline.seconds(since: self.at(0)))
            sent(pace.release(at: self.at(time)))
        }
        #expect(unsent == [])
        for (index, round) in rounds.enumerated() where index >= 4 { #expect(round - rounds[index - 4] > 0.999) }
        for (former, next) in zip(queues, queues.dropFirst()) { #expect(next - former > 1.999) }
    }
}
