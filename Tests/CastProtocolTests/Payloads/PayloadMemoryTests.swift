import CastModels
import Testing

@testable import CastProtocol

@Suite("Repeated media of a link")
struct PayloadMemoryTests {
    private static let film = #"{"contentId":"film","metadata":{"title":"A film with a title that is long enough","year":1999}}"#
    private static let later = #"{"contentId":"film","metadata":{"title":"A film with a title that is long enough","year":1998}}"#
    private static let longer = film.dropLast() + #","duration":5}"#

    private static func text(_ media: some StringProtocol, position: Int = 1) -> String {
        #"{"type":"MEDIA_STATUS","status":[{"mediaSessionId":1,"media":\#(media),"currentTime":\#(position)}]}"#
    }

    /// Reads the texts one after the other; each must give what it gives without a memory.
    private static func read(_ texts: String..., into memory: inout PayloadMemory) throws {
        for text in texts {
            #expect(try received(CastNamespace.media, .text(text), &memory) == received(CastNamespace.media, text), "\(text)")
        }
    }

    @Test("another text is read, whatever it has in common with the one before")
    func others() throws {
        var memory = PayloadMemory()
        try Self.read(
            Self.text(Self.film), Self.text(Self.film, position: 2), Self.text(Self.later), Self.text(Self.film), Self.text(Self.longer),
            Self.text(Self.film), Self.text("null"), Self.text("{}"), Self.text("{}"), Self.text("7"), Self.text(Self.later), into: &memory)
    }

    @Test("several elements of one status have their own media")
    func several() throws {
        var memory = PayloadMemory()
        let elements = [Self.film, Self.later, Self.film].enumerated().map { #"{"mediaSessionId":\#($0),"media":\#($1)}"# }
        let text = #"{"type":"MEDIA_STATUS","status":[\#(elements.joined(separator: ","))]}"#
        try Self.read(text, text, Self.text(Self.later), into: &memory)
    }

    @Test("a repeated object keeps its escapes and its custom data wherever it stands, also beside other escapes")
    func escapes() throws {
        var memory = PayloadMemory()
        let media =
            #"{"contentId":"http:\/\/h\/\u00e9","customData":{"a\n":[1,{"b":"\"c\""}]},"#
            + #""metadata":{"title":"\ud83c\udfac"}}"#
        let custom = #""customData":{"x\t":"\u0041","media":\#(media)}"#
        let text = { (fields: String) in #"{"type":"MEDIA_STATUS","status":[{\#(fields)}]}"# }
        try Self.read(
            text(#""media":\#(media)"#), text(#"\#(custom),"media":\#(media)"#), text(#""media":\#(media),\#(custom)"#),
            text(#""items":[{"media":\#(media)},{"customData":\#(media)}],"media":\#(media)"#), text(custom), into: &memory)
    }

    @Test("a text that ends within the remembered one, or continues wrongly after it, is not JSON")
    func broken() throws {
        var memory = PayloadMemory()
        let text = Self.text(Self.film)
        try Self.read(text, into: &memory)
        for length in 0..<text.utf8.count {
            #expect(throws: CastError.self) {
                try received(CastNamespace.media, .text(String(text.utf8.prefix(length)) ?? ""), &memory)
            }
        }
        #expect(throws: CastError.self) { try received(CastNamespace.media, .text(text + "}"), &memory) }
        try Self.read(text, into: &memory)
    }

    @Test("text that would be nested too deep is an error even where it was valid before")
    func depth() throws {
        var memory = PayloadMemory()
        let inner = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        try Self.read(Self.text(#"{"a":\#(inner)}"#), into: &memory)
        let deep = #"{"type":"MEDIA_STATUS","x":[[[[{"media":{"a":\#(inner)}}]]]]}"#
        #expect(throws: CastError.self) { try received(CastNamespace.media, .text(deep), &memory) }
    }
}
