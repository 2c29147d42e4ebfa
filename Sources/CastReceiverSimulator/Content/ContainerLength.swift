/// Reads the duration of a file from its header.
///
/// MP4: ISO/IEC 14496-12 section 8.2.2. WAV: RIFF chunks `fmt ` and `data`. MP3: ID3v2, then the first frame with its Xing or VBRI header.
/// Matroska, WebM and FLAC: see there.
enum ContainerLength {
    enum Format: Sendable, Hashable { case mp4, mp3, wav, matroska, flac }

    static func format(of bytes: ArraySlice<UInt8>) -> Format? {
        if bytes.has("ftyp", at: 4) { return .mp4 }
        if bytes.has("RIFF", at: 0), bytes.has("WAVE", at: 8) { return .wav }
        if bytes.bigEndian(at: 0, bytes: 4) == 0x1A45_DFA3 { return .matroska }
        if bytes.has("fLaC", at: 0) { return .flac }
        if bytes.has("ID3", at: 0) || MP3Frame(bytes, at: 0) != nil { return .mp3 }
        return nil
    }

    /// Searches a part of the file for the duration.
    ///
    /// - Parameters:
    ///   - bytes: the part; in the first call it begins at 0, in later ones at the requested byte.
    ///   - start: the position of its first byte in the file.
    ///   - size: the size of the whole file; `nil` when the server did not report it.
    static func search(_ format: Format, _ bytes: ArraySlice<UInt8>, at start: Int, size: Int?) -> LengthSearch {
        switch format {
        case .mp4: self.mp4(bytes, at: start)
        case .wav: self.wav(bytes, size: size)
        case .mp3: self.mp3(bytes, at: start, size: size)
        case .matroska: self.matroska(bytes, at: start)
        case .flac: self.flac(bytes)
        }
    }

    // MARK: MP4

    private static func mp4(_ bytes: ArraySlice<UInt8>, at start: Int) -> LengthSearch {
        var offset = 0
        while let box = Box(bytes, at: offset) {
            if box.isMovie { return self.movieLength(bytes, in: box, at: offset) }
            guard let next = box.size.map({ offset.addingReportingOverflow($0) }), !next.overflow else { return .unknown }
            offset = next.partialValue
            if offset >= bytes.count { break }
        }
        let place = start.addingReportingOverflow(offset)
        return place.overflow || offset == 0 ? .unknown : .continues(at: place.partialValue)
    }

    private struct Box {
        /// The size in bytes; `nil` when the box extends to the end of the file.
        var size: Int?
        var headerSize: Int
        var isMovie: Bool
        var isMovieHeader: Bool

        init?(_ bytes: ArraySlice<UInt8>, at offset: Int) {
            guard let short = bytes.bigEndian(at: offset, bytes: 4), bytes.part(at: offset, count: 8) != nil else { return nil }
            self.isMovie = bytes.has("moov", at: offset + 4)
            self.isMovieHeader = bytes.has("mvhd", at: offset + 4)
            self.headerSize = short == 1 ? 16 : 8
            switch short {
            case 0: self.size = nil
            case 1:
                guard let long = bytes.bigEndian(at: offset + 8, bytes: 8), let size = Int(exactly: long), size >= 16 else { return nil }
                self.size = size
            case 8...: self.size = Int(short)
            default: return nil
            }
        }
    }

    private static func movieLength(_ bytes: ArraySlice<UInt8>, in movie: Box, at start: Int) -> LengthSearch {
        var offset = start + movie.headerSize
        while let box = Box(bytes, at: offset) {
            if box.isMovieHeader {
                let content = offset + box.headerSize
                guard let version = bytes.bigEndian(at: content, bytes: 1) else { return .unknown }
                let isLong = version == 1
                guard let scale = bytes.bigEndian(at: content + (isLong ? 20 : 12), bytes: 4),
                    let length = bytes.bigEndian(at: content + (isLong ? 24 : 16), bytes: isLong ? 8 : 4), scale > 0, length > 0,
                    length != (isLong ? .max : UInt64(UInt32.max))
                else { return .unknown }
                return .found(seconds: Double(length) / Double(scale))
            }
            guard let next = box.size.map({ offset.addingReportingOverflow($0) }), !next.overflow else { return .unknown }
            offset = next.partialValue
        }
        return .unknown
    }

    // MARK: WAV

    private static func wav(_ bytes: ArraySlice<UInt8>, size: Int?) -> LengthSearch {
        var offset = 12
        var bytesPerSecond: UInt64?
        while let length = bytes.littleEndian(at: offset + 4, bytes: 4) {
            if bytes.has("fmt ", at: offset) { bytesPerSecond = bytes.littleEndian(at: offset + 16, bytes: 4) }
            if bytes.has("data", at: offset) {
                guard let rate = bytesPerSecond, rate > 0 else { return .unknown }
                // A recorder that was interrupted before it wrote the size leaves 0 or all ones.
                let isWritten = length > 0 && length < UInt64(UInt32.max)
                guard let count = isWritten ? Int(length) : size.map({ $0 - offset - 8 }), count > 0 else { return .unknown }
                return .found(seconds: Double(count) / Double(rate))
            }
            offset += 8 + Int(length) + Int(length % 2)
        }
        return .unknown
    }

    // MARK: MP3

    private static func mp3(_ bytes: ArraySlice<UInt8>, at start: Int, size: Int?) -> LengthSearch {
        if start == 0, bytes.has("ID3", at: 0), let flags = bytes.bigEndian(at: 5, bytes: 1), let parts = bytes.part(at: 6, count: 4) {
            let tag = parts.reduce(0) { $0 << 7 | Int($1 & 0x7F) } + (flags & 0x10 == 0 ? 10 : 20)
            return tag < bytes.count ? self.frames(bytes, from: tag, start: start, size: size) : .continues(at: tag)
        }
        return self.frames(bytes, from: 0, start: start, size: size)
    }

    private static func frames(_ bytes: ArraySlice<UInt8>, from offset: Int, start: Int, size: Int?) -> LengthSearch {
        // Some writers pad the tag; a frame follows within a short distance.
        guard let place = (offset..<(offset + 4_096)).first(where: { MP3Frame(bytes, at: $0) != nil }),
            let frame = MP3Frame(bytes, at: place)
        else { return .unknown }
        if let count = frame.count(in: bytes, at: place) {
            return .found(seconds: Double(count) * Double(frame.samples) / Double(frame.sampleRate))
        }
        guard let size, size > start + place else { return .unknown }
        return .found(seconds: Double(size - start - place) * 8 / Double(frame.bitRate))
    }
}

/// The header of an MPEG audio frame of layer III.
struct MP3Frame: Sendable, Hashable {
    var bitRate: Int
    /// The sample rate in samples per second.
    var sampleRate: Int
    /// The number of samples in one frame.
    var samples: Int
    private var sideInformation: Int

    private static let rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

    init?(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        guard let header = bytes.bigEndian(at: offset, bytes: 4), header >> 21 == 0x7FF else { return nil }
        let (version, layer) = (header >> 19 & 3, header >> 17 & 3)
        let (rate, frequency) = (Int(header >> 12 & 15), Int(header >> 10 & 3))
        guard version != 1, layer == 1, (1...14).contains(rate), frequency < 3 else { return nil }
        let isMono = header >> 6 & 3 == 3
        let isFirst = version == 3
        self.bitRate = (isFirst ? Self.rates1 : Self.rates2)[rate] * 1_000
        self.sampleRate = [44_100, 48_000, 32_000][frequency] / (isFirst ? 1 : version == 2 ? 2 : 4)
        self.samples = isFirst ? 1_152 : 576
        self.sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    }

    /// Returns the number of frames in a Xing or VBRI header; `nil` when it is 0, as interrupted writers leave it.
    func count(in bytes: ArraySlice<UInt8>, at offset: Int) -> UInt64? {
        let xing = offset + 4 + self.sideInformation
        if bytes.has("Xing", at: xing) || bytes.has("Info", at: xing), let flags = bytes.bigEndian(at: xing + 4, bytes: 4), flags & 1 == 1 {
            return bytes.bigEndian(at: xing + 8, bytes: 4).flatMap { $0 > 0 ? $0 : nil }
        }
        let vbri = offset + 36
        return bytes.has("VBRI", at: vbri) ? bytes.bigEndian(at: vbri + 14, bytes: 4).flatMap { $0 > 0 ? $0 : nil } : nil
    }
}
