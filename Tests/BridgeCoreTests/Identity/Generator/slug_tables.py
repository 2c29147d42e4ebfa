#!/usr/bin/env python3
"""Writes the folding table of slugs and its test fixture from Python's Unicode database.

    slug_tables.py table   > Sources/BridgeCore/Identity/LetterFolding.swift
    slug_tables.py fixture > Tests/BridgeCoreTests/Identity/SlugFixture.swift
"""
import re
import sys
import unicodedata

# Letters that have no decomposition but a usual spelling in ASCII.
USUAL = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "þ": "th", "Þ": "th",
    "ð": "d", "Ð": "d", "œ": "oe", "Œ": "oe", "ħ": "h", "Ħ": "h", "ı": "i", "ŧ": "t", "Ŧ": "t", "ŋ": "ng", "Ŋ": "ng",
}
NAMES = [
    "Living Room", "Küche", "客厅", "A/B#+", "😀🎉", "x" * 200, "  Bad--Zimmer  ", "Straße", "Ærø", "Łódź", "Đorđe", "Þingvellir", "İstanbul",
    "ＦＵＬＬ　ＷＩＤＴＨ", "ﬁnal ﬂat", "½ bath", "№ 5", "Ⅷ", "bridge", "All", "CLIENT", "Id", "group", "cast", "", "---", "+", "\x00", "a\x00b",
    "Wohnzimmer TV 2", "Café Ünïcödé", "Cafe\u0301", "кухня", "Σαλόνι", "مطبخ", "Zoë’s Room", "ÅÄÖ", "Ñandú", "Kitchen (left)", "tv.lan",
    "1️⃣ first", "𝔉𝔯𝔞𝔨𝔱𝔲𝔯", "Ⓐⓑ", "㎏", "ǆ", "Ǆ", "ŉ", "straße" * 20, "é" * 60, "ends here at 48 bytes exactly then a space beyond it",
    "\u202eright to left", "a\u00a0b", "tab\tseparated", "K Å", "ŋ", "a" * 47 + " b", "Ⅻ½ⅻ", "ﬀ", "Ĳssel", "ĸ", "ə", "naïve", "résumé_final",
]
RESERVED = {"bridge", "all", "client", "id", "group"}


def fold(character):
    """The letters and digits of one code point, with a space for each run of anything else; '' for combining marks."""
    out = []
    for part in unicodedata.normalize("NFKD", character):
        if unicodedata.category(part).startswith("M"):
            continue
        for low in unicodedata.normalize("NFKD", USUAL.get(part, part).lower()):
            if unicodedata.category(low).startswith("M"):
                continue
            out.append(low if low.isascii() and low.isalnum() else " ")
    return "".join(out)


def slug(name, identity="4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34"):
    text = "".join(fold(character) for character in name)
    result = "-".join(text.split()).encode()[:48].decode().strip("-")
    if not result:
        return "cast-" + identity[:8]
    return result + "-cast" if result in RESERVED else result


def mapped():
    for code in range(0x80, 0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        character = chr(code)
        if unicodedata.category(character) == "Cn":
            continue
        folded = fold(character)
        if folded.strip():
            yield code, folded


def table():
    by_target = {}
    for code, folded in mapped():
        by_target.setdefault(re.sub(" +", " ", folded), []).append(code)
    print("""/// The ASCII letters and digits that replace other characters: from the compatibility decompositions of Unicode (UAX #15, NFKD) without
/// combining marks, and from the usual spellings of letters that do not decompose. Generated; its generator is beside its test.
enum LetterFolding {
    /// Returns the replacement of `scalar`, with a space for each part that is neither a letter nor a digit; `nil` when it contains
    /// neither.
    static func folded(_ scalar: Unicode.Scalar) -> String? { self.table[scalar] }

    private static let table: [Unicode.Scalar: String] = {
        var table: [Unicode.Scalar: String] = [:]
        for entry in Self.entries.split(separator: ";") {
            // The target, a colon, then the first and last code points of each range in base 36.
            let fields = entry.split(separator: ":")
            guard fields.count == 2 else { continue }
            for range in fields[1].split(separator: " ") {
                let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 36) }
                guard let first = ends.first, let last = ends.last else { continue }
                for code in first...max(first, last) { if let scalar = Unicode.Scalar(code) { table[scalar] = String(fields[0]) } }
            }
        }
        return table
    }()
""")
    print('    private static let entries = """')
    line = ""
    for target in sorted(by_target):
        codes = by_target[target]
        ranges = []
        for code in codes:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
        fields = [base36(a) if a == b else base36(a) + "-" + base36(b) for a, b in ranges]
        for field in [f"{target}:{fields[0]}", *(" " + field for field in fields[1:]), ";"]:
            if len(line) + len(field) > 128:
                print(f"        {line}\\")
                line = ""
            line += field
    print(f"        {line}")
    print('        """')
    print("}")


def base36(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    out = ""
    while number:
        number, rest = divmod(number, 36)
        out = digits[rest] + out
    return out or "0"


def swift(text):
    return '"' + "".join(c if 0x20 <= ord(c) < 0x7F and c not in '"\\' else f"\\u{{{ord(c):X}}}" for c in text) + '"'


def fixture():
    print("""// swift-format-ignore-file
/// What Python's Unicode database says about slugs. Generated by `Generator/slug_tables.py fixture`.
enum SlugFixture {
    /// Names and the slugs of a device 4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34 with that name.
    static let names: [(name: String, slug: String)] = [""")
    for name in NAMES:
        print(f"        ({swift(name)}, {swift(slug(name))}),")
    print("    ]\n")
    codes = list(mapped())
    print(f"    /// How many code points outside ASCII have letters or digits in them (Unicode {unicodedata.unidata_version}).")
    print(f"    static let mappedCount = {len(codes)}\n")
    print("    /// A sample of them: every seventh, as code point and slug of a name that has it between two letters.")
    print("    static let sample: [(code: UInt32, slug: String)] = [")
    row = "       "
    for code, _ in codes[::7]:
        cell = f' (0x{code:X}, {swift(slug("x" + chr(code) + "x"))}),'
        if len(row) + len(cell) > 138:
            print(row)
            row = "       "
        row += cell
    print(row)
    print("    ]\n")
    digest = 0
    for code, folded in codes:
        for byte in f"{code:X}={'-'.join(folded.split())};".encode():
            digest = ((digest ^ byte) * 0x100000001B3) % 2**64
    print("    /// Hash (FNV's step over `HEX=folded;` for each code point in order) of the whole table.")
    print(f"    static let digest: UInt64 = 0x{digest:016X}\n}}")


{"table": table, "fixture": fixture}[sys.argv[1]]()
