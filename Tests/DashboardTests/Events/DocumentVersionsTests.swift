import Testing

@testable import BridgeCore
@testable import Dashboard

@Suite("The documents of the page and when they changed")
struct DocumentVersionsTests {
    private var versions = DocumentVersions(boot: "b")

    private func change(_ topic: String, _ text: String?) -> DocumentChange {
        DocumentChange(topic: topic, value: text.map { Array($0.utf8) })
    }

    private func texts(_ changes: [DocumentChange]?) -> [String: String]? {
        changes.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.topic, $0.value.map { String(decoding: $0, as: UTF8.self) } ?? "-") }) }
    }

    private mutating func apply(_ documents: [(String, String?)], isWhole: Bool = false) -> [String: String]? {
        self.texts(self.versions.apply(BridgeChanges(documents: documents.map { self.change($0.0, $0.1) }, isWhole: isWhole)))
    }

    @Test("are counted by change, and equal content is no change")
    mutating func counted() {
        #expect(self.versions.changes(since: 0) == nil)
        #expect(self.apply([("a", "1"), ("b", "1")], isWhole: true) == ["a": "1", "b": "1"])
        #expect(self.versions.id == "b-1" && self.versions.sequence(of: "b-1") == 1)
        #expect(self.apply([("a", "1")]) == [:] && self.versions.sequence == 1)
        #expect(self.apply([("a", "2"), ("b", "1")]) == ["a": "2"])
        #expect(self.apply([("a", "3"), ("b", nil), ("c", "1")]) == ["a": "3", "b": "-", "c": "1"])
        #expect(self.texts(self.versions.changes(since: 1)) == ["a": "3", "b": "-", "c": "1"])
        #expect(self.texts(self.versions.changes(since: 3)) == [:])
        #expect(self.texts(self.versions.all) == ["a": "3", "c": "1"])
        for other: UInt64 in [0, 4] { #expect(self.versions.changes(since: other) == nil) }
    }

    @Test(
        "an id of another kind names no change",
        arguments: ["", "b", "b-", "b-x", "c-1", "b-1-1", "b--1", "-1", "b-99999999999999999999", String(repeating: "b", count: 99)])
    func foreignID(id: String) {
        #expect(self.versions.sequence(of: id) == nil)
    }

    @Test("documents that are sent again as a whole keep the count, and missing ones are removed")
    mutating func sentAgain() {
        _ = self.apply([("a", "1"), ("b", "1"), ("c", "1")], isWhole: true)
        #expect(self.apply([("a", "1"), ("b", "2")], isWhole: true) == ["b": "2", "c": "-"])
        #expect(self.texts(self.versions.changes(since: 1)) == ["b": "2", "c": "-"])
    }

    @Test("documents that were not watched for a while have no earlier changes")
    mutating func unwatched() {
        _ = self.apply([("a", "1")], isWhole: true)
        self.versions.forget()
        #expect(self.versions.changes(since: 1) == nil && self.versions.all == [])
        #expect(self.apply([("a", "1")], isWhole: true) == ["a": "1"])
        #expect(self.versions.changes(since: 1) == nil)
        #expect(self.texts(self.versions.changes(since: 2)) == [:])
    }

    @Test("up to 1 024 removed documents are remembered")
    mutating func removed() {
        _ = self.apply((0...1_024).map { ("t\($0)", "1") }, isWhole: true)
        for number in 0..<1_024 { _ = self.apply([("t\(number)", nil)]) }
        #expect(self.versions.changes(since: 1)?.count == 1_024)
        _ = self.apply([("t1024", nil)])
        #expect(self.versions.changes(since: 1) == nil)
        #expect(self.versions.changes(since: self.versions.sequence) == [])
    }

    @Test(
        "name a device as commands do",
        arguments: [
            ("tv", "tv"), ("TV", "tv"), ("telly", "tv"), ("Telly", "tv"), ("0a1b", "tv"), ("0A-1b", "tv"), ("bridge", nil), ("Bridge", nil),
            ("radio", nil), ("", nil), ("tv2", "tv2"), ("0c", "tv2"), ("0c0c", "tv"), ("-", nil),
        ])
    mutating func deviceNames(name: String, slug: String?) {
        _ = self.apply(
            [
                ("tv/info", #"{"id":"0a1b","aliases":["telly","0c0c"]}"#), ("tv/availability", #""online""#),
                ("tv2/info", #"{"id":"0c"}"#), ("tv2/availability", #""offline""#), ("tv3/info", #"{"id":"0c0c"}"#),
                ("bridge/info", #"{"id":"bridge"}"#), ("bridge/availability", "1"), ("tv4/info", "x"),
            ], isWhole: true)
        #expect(self.versions.slug(named: name) == slug)
    }

    @Test("are found by device and by name")
    mutating func found() {
        _ = self.apply([("tv/info", "1"), ("tv/state", "2"), ("tv2/info", "3"), ("bridge/info", "4")], isWhole: true)
        #expect(self.texts(self.versions.all(below: "tv/")) == ["tv/info": "1", "tv/state": "2"])
        #expect(self.texts(self.versions.all(named: "info")) == ["tv/info": "1", "tv2/info": "3"])
        #expect(self.versions["tv/state"] == Array("2".utf8) && self.versions["tv"] == nil)
    }
}
