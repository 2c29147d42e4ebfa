/// Reads the duration of Matroska and WebM (RFC 9559 section 5.1.2), where the Info element contains the duration and its unit, and of FLAC
/// (RFC 9639 section 8.2), where the first block contains the number of samples and their rate.
extension ContainerLength {
    private static let segment: UInt64 = 0x1853_8067
    private static let info: UInt64 = 0x1549_A966
    private static let cluster: UInt64 = 0x1F43_B675
    private static let timestampScale: UInt64 = 0x2AD7B1
    private static let duration: UInt64 = 0x4489

    static func matroska(_ bytes: ArraySlice<UInt8>, at start: Int) -> LengthSearch {
        var offset = 0
        while let element = Element(bytes, at: offset) {
            switch element.id {
            case Self.segment: offset = element.content
            case Self.info: return self.length(bytes, in: element)
            // A file that was written as a stream has no duration; otherwise it precedes the first cluster.
            case Self.cluster: return .unknown
            default:
                guard let next = element.end, next > offset else { return .unknown }
                offset = next
            }
        }
        let place = start.addingReportingOverflow(offset)
        let isCut = offset > 0 && bytes.count - offset < Element.longestHead
        return place.overflow || !isCut ? .unknown : .continues(at: place.partialValue)
    }

    private static func length(_ bytes: ArraySlice<UInt8>, in info: Element) -> LengthSearch {
        var offset = info.content
        var nanoseconds: UInt64 = 1_000_000
        var duration: Double?
        while offset < info.end ?? bytes.count, let element = Element(bytes, at: offset), let end = element.end {
            let size = end - element.content
            if element.id == Self.timestampScale, size <= 8 {
                nanoseconds = bytes.bigEndian(at: element.content, bytes: size) ?? nanoseconds
            }
            if element.id == Self.duration, let bits = bytes.bigEndian(at: element.content, bytes: min(size, 8)) {
                duration = size == 4 ? Double(Float(bitPattern: UInt32(bits))) : size == 8 ? Double(bitPattern: bits) : nil
            }
            offset = end
        }
        guard let seconds = duration.map({ $0 * Double(nanoseconds) / 1e9 }), seconds.isFinite, seconds > 0 else { return .unknown }
        return .found(seconds: seconds)
    }

    static func flac(_ bytes: ArraySlice<UInt8>) -> LengthSearch {
        guard let numbers = bytes.bigEndian(at: 18, bytes: 8), bytes.bigEndian(at: 4, bytes: 1).map({ $0 & 0x7F }) == 0 else {
            return .unknown
        }
        let (rate, samples) = (numbers >> 44, numbers & 0xF_FFFF_FFFF)
        return rate > 0 && samples > 0 ? .found(seconds: Double(samples) / Double(rate)) : .unknown
    }

    /// The head of an EBML element (RFC 8794 section 6).
    private struct Element {
        static let longestHead = 12

        var id: UInt64
        /// The range of its content; the end is missing when the element has an unknown size.
        var content: Int
        var end: Int?

        init?(_ bytes: ArraySlice<UInt8>, at offset: Int) {
            guard let first = bytes.bigEndian(at: offset, bytes: 1), first >= 0x10 else { return nil }
            let idLength = UInt8(first).leadingZeroBitCount + 1
            guard let id = bytes.bigEndian(at: offset, bytes: idLength),
                let second = bytes.bigEndian(at: offset + idLength, bytes: 1), second > 0
            else { return nil }
            let sizeLength = UInt8(second).leadingZeroBitCount + 1
            guard let marked = bytes.bigEndian(at: offset + idLength, bytes: sizeLength) else { return nil }
            let all: UInt64 = 1 << UInt64(7 * sizeLength) - 1
            self.id = id
            self.content = offset + idLength + sizeLength
            let end = Int(exactly: marked & all).map { self.content.addingReportingOverflow($0) }
            self.end = marked & all == all || end?.overflow != false ? nil : end?.partialValue
        }
    }
}
