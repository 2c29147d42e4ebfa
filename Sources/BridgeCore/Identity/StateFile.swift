import CastModels

/// The state file of the bridge: a header line, then one line of JSON for each known device.
///
/// Lines limit damage: a line that cannot be read loses one device, not all of them.
package struct StateFile: Sendable, Hashable {
    /// The version of the format; it increases with changes that an older bridge cannot read.
    package static let schema = 1
    /// The largest number of devices that are read.
    package static let maximumDevices = 10_000

    package var rememberedProtocol: RememberedProtocol?
    /// Every topic ever published retained for the bridge itself, including `bridge/state`.
    package var topics: Set<String>
    /// The topics of the bridge's Home Assistant announcements.
    package var discoveryTopics: Set<String>
    /// The devices in the order of the file.
    package var devices: [KnownDevice]

    package init(
        rememberedProtocol: RememberedProtocol? = nil, topics: Set<String> = [], discoveryTopics: Set<String> = [],
        devices: [KnownDevice] = []
    ) {
        self.rememberedProtocol = rememberedProtocol
        self.topics = topics
        self.discoveryTopics = discoveryTopics
        self.devices = devices
    }

    /// A fault of the file, or of one of its lines.
    package struct Problem: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: Sendable, Hashable {
            /// The header is unknown; nothing was read.
            case notAStateFile
            /// A newer bridge wrote the file; nothing was read.
            case newerSchema(Int)
            case unreadableLine
            /// A device has no usable id or slug, or the same one as an earlier line.
            case unusableDevice
            case tooManyDevices
        }

        package var kind: Kind
        /// The line number, from 1.
        package var line: Int

        package var description: String {
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
    package static func read(_ bytes: [UInt8]) -> (file: StateFile, problems: [Problem]) {
        var file = StateFile()
        var problems: [Problem] = []
        var seenIDs: Set<Device.ID> = []
        var seenSlugs: Set<String> = []
        // The header, the devices and one rest: a file of empty lines must not become millions of slices.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: self.maximumDevices + 1, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let number = index + 1
            if index == 0 {
                do throws(HeaderFailure) { file = try self.header(line) } catch { return (file, [Problem(kind: error.kind, line: number)]) }
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

    private struct HeaderFailure: Error { var kind: Problem.Kind }

    /// Reads the first line; the other lines contain the devices.
    private static func header(_ line: ArraySlice<UInt8>) throws(HeaderFailure) -> StateFile {
        guard let value = try? JSONParser.parse(Array(line)), value["format"]?.stringValue == "cast2mqtt-state",
            let schema = value["schema"]?.intValue
        else { throw HeaderFailure(kind: .notAStateFile) }
        guard schema <= self.schema else { throw HeaderFailure(kind: .newerSchema(schema)) }
        var file = StateFile(topics: TopicRecord.read(value["topics"]), discoveryTopics: TopicRecord.read(value["discovery"]))
        if let remembered = value["protocol"], let text = remembered["version"]?.stringValue,
            let version = RememberedProtocol.Version(rawValue: text),
            let until = remembered["until"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) })
        {
            file.rememberedProtocol = RememberedProtocol(version: version, until: until)
        }
        return file
    }

    /// The content of the file; every line ends with a newline.
    package var bytes: [UInt8] {
        var bytes = self.headerLine + [UInt8(ascii: "\n")]
        for device in self.devices {
            bytes += device.json
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The first line, without its newline.
    var headerLine: [UInt8] {
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
        TopicRecord.write(self.topics, as: "topics", below: "bridge", to: &writer)
        TopicRecord.write(self.discoveryTopics, as: "discovery", below: "device", to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
