import CastModels

/// The state file of the bridge: a header line, then one line of JSON for each known device.
///
/// Lines limit damage: a line that cannot be read loses one device, not all of them.
public struct StateFile: Sendable, Hashable {
    /// The version of the format; it increases with changes that an older bridge cannot read.
    public static let schema = 1
    /// The largest number of devices that are read.
    public static let maximumDevices = 10_000

    public var rememberedProtocol: RememberedProtocol?
    /// Every topic ever published retained for the bridge itself, including `bridge/state`.
    public var topics: Set<String>
    /// The topics of the bridge's Home Assistant announcements.
    public var discoveryTopics: Set<String>
    /// The devices in the order of the file.
    public var devices: [KnownDevice]
    /// The version of the record of a pair; `nil` for a bridge alone.
    public var version: PairVersion?

    public init(
        rememberedProtocol: RememberedProtocol? = nil, topics: Set<String> = [], discoveryTopics: Set<String> = [],
        devices: [KnownDevice] = []
    ) {
        (self.rememberedProtocol, self.topics, self.discoveryTopics, self.devices) = (rememberedProtocol, topics, discoveryTopics, devices)
    }

    /// A fault of the file, or of one of its lines.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        public enum Kind: Error, Sendable, Hashable {
            /// The header is unknown; nothing was read.
            case notAStateFile
            /// A newer bridge wrote the file; nothing was read.
            case newerSchema(Int)
            case unreadableLine
            /// A device has no usable id or slug, or the same one as an earlier line.
            case unusableDevice
            case tooManyDevices
        }

        public var kind: Kind
        /// The line number, from 1.
        public var line: Int

        public var description: String {
            switch self.kind {
            case .notAStateFile: "line \(self.line): not a state file of this program"
            case .newerSchema(let schema): "line \(self.line): written by a newer version (schema \(schema))"
            case .unreadableLine: "line \(self.line): can't be read"
            case .unusableDevice: "line \(self.line): no usable device"
            case .tooManyDevices: "line \(self.line): more devices than are read"
            }
        }
    }

    /// Reads as much of a file as possible. If there are problems, the caller sets the file aside and continues with the returned data.
    public static func read(_ bytes: [UInt8]) -> (file: StateFile, problems: [Problem]) {
        var file = StateFile()
        var problems: [Problem] = []
        var seenIDs: Set<Device.ID> = []
        var seenSlugs: Set<String> = []
        // The header, the devices and one rest: a file of empty lines must not become millions of slices.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: self.maximumDevices + 1, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let number = index + 1
            if index == 0 {
                do throws(Problem.Kind) { file = try self.header(line) } catch { return (file, [Problem(kind: error, line: number)]) }
                continue
            }
            if line.isEmpty { continue }
            guard file.devices.count < self.maximumDevices else {
                problems.append(Problem(kind: .tooManyDevices, line: number))
                break
            }
            guard let value = try? JSONParser.parse(Array(line)), let object = value.objectValue else {
                problems.append(Problem(kind: .unreadableLine, line: number))
                continue
            }
            guard let device = KnownDevice(json: object), seenIDs.insert(device.id).inserted, seenSlugs.insert(device.slug).inserted else {
                problems.append(Problem(kind: .unusableDevice, line: number))
                continue
            }
            file.devices.append(device)
        }
        return (file, problems)
    }

    /// Reads the first line; the other lines contain the devices.
    private static func header(_ line: ArraySlice<UInt8>) throws(Problem.Kind) -> StateFile {
        guard let value = try? JSONParser.parse(Array(line)), value["format"]?.stringValue == "cast2mqtt-state",
            let schema = value["schema"]?.intValue
        else { throw .notAStateFile }
        guard schema <= self.schema else { throw .newerSchema(schema) }
        var file = StateFile(topics: TopicRecord.read(value["topics"]), discoveryTopics: TopicRecord.read(value["discovery"]))
        if let remembered = value["protocol"], let text = remembered["version"]?.stringValue,
            let version = RememberedProtocol.Version(rawValue: text),
            let until = remembered["until"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) })
        {
            file.rememberedProtocol = RememberedProtocol(version: version, until: until)
        }
        if let term = value["pair"]?["term"]?.intValue, let change = value["pair"]?["change"]?.intValue,
            (0...PairClaim.highestTerm).contains(term), (0...1 << 48).contains(change)
        {
            file.version = PairVersion(term: term, change: change)
        }
        return file
    }

    /// The content of the file; every line ends with a newline.
    public var bytes: [UInt8] {
        var bytes = self.header + [UInt8(ascii: "\n")]
        for device in self.devices {
            bytes += device.json
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The first line, without its newline.
    private var header: [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("format", "cast2mqtt-state")
        writer.member("schema", Self.schema)
        writer.key("protocol")
        if let remembered = self.rememberedProtocol {
            writer.value(.object(["version": .string(remembered.version.rawValue), "until": .string(remembered.until.text)]))
        } else {
            writer.null()
        }
        if let version {
            writer.key("pair")
            writer.value(.object(["term": .integer(Int64(version.term)), "change": .integer(Int64(version.change))]))
        }
        TopicRecord.write(self.topics, as: "topics", below: "bridge", to: &writer)
        TopicRecord.write(self.discoveryTopics, as: "discovery", below: "device", to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
