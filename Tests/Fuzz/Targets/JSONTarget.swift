import CastModels
import Foundation

/// Our JSON parser and writer, against themselves and against Foundation's.
enum JSONTarget: FuzzTarget {
    static let name = "json"

    static var seeds: [[UInt8]] {
        PayloadTarget.messages.map { Array($0.1.utf8) }
            + [#"[1,-2.5e-3,"\u00e9\ud83d\ude00\n",true,null,{"a":[],"":{}}]"#, "1e308", "-0", "9007199254740993"].map { Array($0.utf8) }
    }

    static let words = ["null", "true", "false", "\\u0000", "\\ud83d\\ude00", "1e308", "-0", "[[[[", "{}"]

    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        JSONMutation.changed(input, words: ["type", "status", "\u{0}", "\u{1F600}"], by: &random)
    }

    static func run(_ input: [UInt8]) {
        guard let value = try? JSONParser.parse(input) else { return }
        let written = JSONWriter.bytes(of: value)
        guard let again = try? JSONParser.parse(written) else { return require(false, "what was written cannot be read") }
        // A whole number comes back as an integer even if it came with a point, so the texts are compared.
        require(JSONWriter.bytes(of: again) == written, "written and read again it is another value")
        // Foundation is stricter about nothing that we write: an application there must be able to read it.
        let theirs = try? JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed)
        require(theirs != nil, "Foundation cannot read what was written")
        if case .object(let object) = value { planted(object["requestId"] == .integer(0) && object["status"] != nil) }
    }
}
