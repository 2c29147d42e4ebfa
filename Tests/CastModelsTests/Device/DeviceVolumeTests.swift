import CastModels
import Testing

@Suite("The volume of a device") struct DeviceVolumeTests {
    @Test(
        "is within levels as far as a device with such steps rounds, and while it is unknown",
        arguments: [
            (0.4, nil, 0.4...0.4, true), (0.41, nil, 0.4...0.4, true), (0.42, nil, 0.4...0.4, false), (0.42, 0.05, 0.4...0.4, true),
            (0.44, 0.05, 0.4...0.4, false), (0.5, nil, 0.4...0.6, true), (0.39, nil, 0.4...0.6, true), (0.63, nil, 0.4...0.6, false),
            (nil, nil, 0.4...0.6, true),
        ] as [(Double?, Double?, ClosedRange<Double>, Bool)])
    func within(level: Double?, step: Double?, levels: ClosedRange<Double>, expected: Bool) {
        #expect(DeviceVolume(level: level, stepInterval: step).isWithin(levels) == expected)
    }
}
