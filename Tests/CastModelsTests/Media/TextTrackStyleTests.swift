import CastModels
import Testing

@Suite struct TextTrackStyleTests {
    static let colors: [(String, TextTrackStyle.Color?, String?)] = [
        ("#FFFFFFFF", .white, "#FFFFFFFF"), ("#00000000", .transparent, "#00000000"),
        ("#0a1B2c80", .init(red: 10, green: 27, blue: 44, alpha: 128), "#0A1B2C80"),
        ("#0A1B2C", .init(red: 10, green: 27, blue: 44), "#0A1B2CFF"),
        ("0A1B2C", nil, nil), ("#0A1B2", nil, nil), ("#0A1B2C8", nil, nil), ("#0A1B2CG0", nil, nil), ("", nil, nil), ("#", nil, nil),
        ("#ＦＦFFFF", nil, nil), ("#0A1B2C8000", nil, nil), ("red", nil, nil),
    ]

    @Test("colours are read with and without opacity and written with it", arguments: Self.colors)
    func color(hex: String, color: TextTrackStyle.Color?, written: String?) {
        #expect(TextTrackStyle.Color(hex: hex) == color)
        #expect(TextTrackStyle.Color(hex: hex)?.hex == written)
    }

    @Test("every word of the wire is read and written, and unknown ones kept")
    func words() {
        for word in ["NONE", "OUTLINE", "DROP_SHADOW", "RAISED", "DEPRESSED", "GLOW"] {
            #expect(TextTrackStyle.EdgeType(wireValue: word).wireValue == word)
        }
        for word in ["NONE", "NORMAL", "ROUNDED_CORNERS", "OVAL"] { #expect(TextTrackStyle.WindowType(wireValue: word).wireValue == word) }
        for word in ["SANS_SERIF", "MONOSPACED_SANS_SERIF", "SERIF", "MONOSPACED_SERIF", "CASUAL", "CURSIVE", "SMALL_CAPITALS", "RUNES"] {
            #expect(TextTrackStyle.FontGenericFamily(wireValue: word).wireValue == word)
        }
        for word in ["NORMAL", "BOLD", "BOLD_ITALIC", "ITALIC", "THIN"] {
            #expect(TextTrackStyle.FontStyle(wireValue: word).wireValue == word)
        }
        #expect(TextTrackStyle.EdgeType(wireValue: "GLOW") == .unknown("GLOW"))
        #expect(TextTrackStyle.EdgeType(wireValue: "DROP_SHADOW") == .dropShadow)
        #expect(TextTrackStyle.FontGenericFamily(wireValue: "SMALL_CAPITALS") == .smallCapitals)
    }

    @Test("merging takes the properties that the other style sets and keeps the rest")
    func merge() {
        var other = TextTrackStyle()
        other.fontScale = 2
        other.edgeType = .raised
        other.customData = ["k": 1]
        var expected = TextTrackStyle.standard
        (expected.fontScale, expected.edgeType, expected.customData) = (2, .raised, ["k": 1])
        #expect(TextTrackStyle.standard.merged(with: other) == expected)
        #expect(TextTrackStyle.standard.merged(with: TextTrackStyle()) == .standard)
        #expect(TextTrackStyle().merged(with: .standard) == .standard)
    }

    static let wrong: [(@Sendable (inout TextTrackStyle) -> Void, String)] = [
        ({ $0.fontScale = 0 }, "style.fontScale"), ({ $0.fontScale = -1 }, "style.fontScale"), ({ $0.fontScale = .nan }, "style.fontScale"),
        ({ $0.fontScale = 11 }, "style.fontScale"), ({ $0.windowRoundedCornerRadius = -1 }, "style.windowRoundedCornerRadius"),
        ({ $0.windowRoundedCornerRadius = .infinity }, "style.windowRoundedCornerRadius"), ({ $0.fontFamily = "" }, "style.fontFamily"),
    ]

    @Test("values that no receiver can show are refused with their name", arguments: Self.wrong.indices)
    func refuses(index: Int) {
        var style = TextTrackStyle.standard
        Self.wrong[index].0(&style)
        let error = #expect(throws: CastError.self) { try style.validate("style") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.argument == Self.wrong[index].1)
        #expect(throws: Never.self) { try TextTrackStyle.standard.validate("style") }
    }
}
