import CastModels

/// Random numbers from the seed of one change (SplitMix64).
struct MutationRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Changes one value of a JSON text: it becomes another one, goes, or is doubled.
enum JSONMutation {
    private static let numbers =
        [0, 1, -1, 2, 15, 1_000, .max, .min].map(JSONValue.integer) + [0.5, -0.5, 99.9, 1e308, -1e-308].map(JSONValue.number)
    private static let values: [JSONValue] =
        [.null, .bool(true), .bool(false), .array([]), .object(JSONObject()), .string("")] + numbers

    /// - Parameter words: texts that mean something to the target.
    /// - Returns: `nil` for what is no JSON.
    static func changed(_ text: [UInt8], words: [String], by random: inout MutationRandom) -> [UInt8]? {
        guard var value = try? JSONParser.parse(text) else { return nil }
        var place = Int.random(in: 0..<self.count(value), using: &random)
        let word = words.randomElement(using: &random).map(JSONValue.string) ?? .null
        let number = self.numbers.randomElement(using: &random) ?? .null
        let change: Change =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .remove
            case 1: .double
            case 2, 3: .replace(self.values.randomElement(using: &random) ?? .null)
            default: .vary(text: word, number: number)
            }
        _ = self.apply(change, to: &value, &place)
        return JSONWriter.bytes(of: value)
    }

    private enum Change {
        case remove, double
        case replace(JSONValue)
        /// A number by another number, anything else by a text.
        case vary(text: JSONValue, number: JSONValue)
    }

    /// Values in it, itself included.
    private static func count(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + self.count($1) }
        case .object(let object): object.members.reduce(1) { $0 + self.count($1.value) }
        case .null, .bool, .integer, .number, .string: 1
        }
    }

    /// Changes the value that `place` counts down to.
    ///
    /// - Returns: how many there should be of `value` then.
    private static func apply(_ change: Change, to value: inout JSONValue, _ place: inout Int) -> Int {
        if place == 0 {
            place -= 1
            switch change {
            case .replace(let new): value = new
            case .vary(let text, let number): value = value.doubleValue == nil ? text : number
            case .remove: return 0
            case .double: return 2
            }
            return 1
        }
        place -= 1
        switch value {
        case .array(let elements):
            value = .array(
                elements.flatMap { element in
                    var element = element
                    let count = place < 0 ? 1 : self.apply(change, to: &element, &place)
                    return Array(repeating: element, count: count)
                })
        case .object(let object):
            value = .object(
                JSONObject(
                    members: object.members.flatMap { member in
                        var member = member
                        let count = place < 0 ? 1 : self.apply(change, to: &member.value, &place)
                        return Array(repeating: member, count: count)
                    }))
        case .null, .bool, .integer, .number, .string: break
        }
        return 1
    }
}
