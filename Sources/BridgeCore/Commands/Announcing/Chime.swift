import Glibc

/// A sound that calls attention to an announcement: two falling tones, three rising ones, one low stroke.
public enum Chime: String, Sendable, Hashable, CaseIterable {
    case doorbell, rising, gong

    /// The strokes: seconds after the beginning, and Hz.
    private var strokes: [(start: Double, pitch: Double)] {
        switch self {
        case .doorbell: [(0, 659.26), (0.4, 523.25)]
        case .rising: [(0, 523.25), (0.16, 659.26), (0.32, 783.99)]
        case .gong: [(0, 220)]
        }
    }

    /// Seconds.
    public static let duration = 1.2

    /// The sound as WAV with one channel of 16 bits.
    public var wav: [UInt8] {
        let (rate, count) = (22_050, Int(Self.duration * 22_050))
        func number(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var bytes = Array("RIFF".utf8) + number(36 + 2 * count, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2) + number(1, 2)
        bytes += number(rate, 4) + number(2 * rate, 4) + number(2, 2) + number(16, 2) + Array("data".utf8) + number(2 * count, 4)
        for index in 0..<count {
            let time = Double(index) / Double(rate)
            var level = 0.0
            for (start, pitch) in self.strokes where time >= start {
                // It begins within 5 ms and fades, the overtone first; nothing cracks at the end.
                let (age, angle) = (time - start, 2 * Double.pi * pitch * (time - start))
                level += min(age / 0.005, 1) * (exp(-4 * age) * sin(angle) + 0.4 * exp(-9 * age) * sin(2.76 * angle))
            }
            let sample = Int16(level * 13_000 * min((Self.duration - time) / 0.05, 1))
            bytes += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
        return bytes
    }
}
