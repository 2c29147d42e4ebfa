import TestSupport
import Testing

@testable import CastModels

@Suite("Repeated objects of JSON texts")
struct RepeatedObjectTests {
    private static let film = #"{"contentId":"film","metadata":{"title":"A film with a title that is long enough","year":1999}}"#
    private static let song = #"{"contentId":"song","metadata":{"title":"A song with a title that is long enough","year":2001}}"#

    private static func text(_ media: String, position: Int = 1) -> String {
        #"{"status":[{"media":\#(media),"currentTime":\#(position)}]}"#
    }

    /// Parses the texts one after the other; each must give what it gives without a memory.
    private static func parse(_ texts: String..., into memory: inout RepeatedObject) throws {
        for text in texts { #expect(try JSONParser.parse(text, &memory) == JSONParser.parse(text)) }
    }

    @Test("the same text gives the object that is there already")
    func repeated() throws {
        var memory = RepeatedObject(key: "media")
        try Self.parse(Self.text(Self.film), into: &memory)
        let first = memory.object
        #expect(first == (try JSONParser.parse(Self.film)).objectValue)
        let second = try JSONParser.parse(Self.text(Self.film, position: 2), &memory)["status"]?.arrayValue?.first?["media"]?.objectValue
        #expect(second?.isCopy(of: first) == true)
        #expect(memory.object.isCopy(of: first))
    }

    @Test("another text is read, whatever it has in common with the one before")
    func others() throws {
        var memory = RepeatedObject(key: "media")
        let longer = Self.film.dropLast() + #","duration":5}"#
        let later = Self.film.replacingOccurrence(of: "1999", with: "1998")
        try Self.parse(
            Self.text(Self.film), Self.text(Self.song), Self.text(Self.film), Self.text(String(longer)), Self.text(Self.film),
            Self.text(later), Self.text("null"), Self.text("{}"), Self.text(later), into: &memory)
        #expect(memory.object == (try JSONParser.parse(later)).objectValue)
    }

    @Test("the first object of a text is remembered, and found wherever it comes again")
    func several() throws {
        var memory = RepeatedObject(key: "media")
        let queue = #"{"media":\#(Self.film),"items":[{"media":\#(Self.film)},{"media":\#(Self.song)}]}"#
        try Self.parse(queue, queue, into: &memory)
        #expect(memory.object == (try JSONParser.parse(Self.film)).objectValue)
    }

    @Test("a text that ends within the remembered one, or goes on wrongly behind it, is no JSON")
    func broken() throws {
        var memory = RepeatedObject(key: "media")
        try Self.parse(Self.text(Self.film), into: &memory)
        let text = Self.text(Self.film)
        for length in 0..<text.utf8.count {
            #expect(throws: JSONError.self) { try JSONParser.parse(String(text.utf8.prefix(length)) ?? "", &memory) }
        }
        #expect(throws: JSONError.self) { try JSONParser.parse(#"{"media":\#(Self.film)}}"#, &memory) }
        try Self.parse(text, into: &memory)
    }

    @Test("what would be nested too deep stays an error where its text was right before")
    func depth() throws {
        var memory = RepeatedObject(key: "media")
        let inner = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        let media = #"{"a":\#(inner)}"#
        try Self.parse(#"{"media":\#(media)}"#, into: &memory)
        #expect(!memory.object.isEmpty)
        let deep = String(repeating: "[", count: 10) + #"{"media":\#(media)}"# + String(repeating: "]", count: 10)
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(deep, &memory) }
        #expect(error?.kind == .tooDeep)
    }

    @Test("texts made at random give the same with a memory", arguments: 0..<50)
    func random(seed: Int) throws {
        var generator = JSONGenerator(seed: UInt64(seed))
        var memory = RepeatedObject(key: "media")
        for _ in 0..<20 {
            let media = #"{"value":\#(generator.text()),"filler":"\#(String(repeating: "x", count: 60))"}"#
            try Self.parse(Self.text(media), Self.text(media, position: 2), into: &memory)
        }
    }
}

extension String {
    fileprivate func replacingOccurrence(of part: String, with other: String) -> String {
        guard let range = self.firstRange(of: part) else { return self }
        return self.replacingCharacters(of: range, with: other)
    }

    private func replacingCharacters(of range: Range<Index>, with other: String) -> String {
        var text = self
        text.replaceSubrange(range, with: other)
        return text
    }
}
