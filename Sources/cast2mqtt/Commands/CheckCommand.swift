import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import CastMediaCheck
import CastSender
import Logging
import NIOPosix

/// `cast2mqtt check`: finds out why a device cannot play a web address.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Finds out why a Cast device can't play a web address.",
        discussion: """
            Fetches the beginning of what is there, as a device would, at most 256 kB of it within 5 seconds, and prints what is wrong with it and what to do.
            It looks from this machine: run it in the network of the devices. With --device it searches the network for that device, and also says what
            the device can't show; the bridge need not run.

            Exit codes: 0 nothing is wrong, or only warnings are printed; 1 an error was found, or no device has the name; 64 wrong usage; 78 the
            configuration is wrong.
            """)

    @OptionGroup var file: ConfigurationOption

    @Argument(help: "The http or https address of the medium.")
    var url: String

    @Option(help: ArgumentHelp("The device to play it: its name, slug, alias or id.", valueName: "name"))
    var device: String?

    @Option(help: ArgumentHelp("The content type that it is loaded with.", valueName: "type"))
    var contentType: String?

    @Option(name: .customLong("track"), help: ArgumentHelp("The address of a text track. May be repeated.", valueName: "url"))
    var tracks: [String] = []

    @Flag(help: "Print a JSON object instead of text.")
    var json = false

    @Option(help: ArgumentHelp("How long to search for the device, in seconds (1 to 600).", valueName: "seconds"))
    var seconds = 5

    func validate() throws {
        guard (1...600).contains(self.seconds) else { throw ValidationError("--seconds takes 1 to 600") }
        guard MediaCheck.canCheck(MediaInformation(contentID: self.url)) else {
            throw ValidationError("\"\(self.url)\" is not an absolute http or https address")
        }
    }

    func run() async throws {
        var configuration = try self.file.load().configuration
        configuration.log.filters.level = max(configuration.log.filters.level, .warning)
        _ = configuration.log.install(configuration.secrets.redaction)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var found: Device?
        if let device = self.device {
            let search = DeviceSearch(configuration: configuration, eventLoop: group.next())
            found = try await search.run(for: device, within: .seconds(self.seconds))
            guard found != nil else {
                StandardError.print(
                    "No device called \(device) was found within \(self.seconds) s. \"cast2mqtt devices\" shows which there are.")
                throw ExitCode.failure
            }
        }
        var media = MediaInformation(contentID: self.url, contentType: self.contentType)
        media.tracks = self.tracks.enumerated().map { MediaTrack(trackID: $0 + 1, type: .text, contentID: $1) }
        let report = await MediaCheck(eventLoopGroup: group).run(media, capabilities: found?.capabilities)
        try await group.shutdownGracefully()
        let output = CheckOutput(report: report, device: found)
        print(configuration.secrets.redaction.redacted(self.json ? output.json : output.text))
        if report.hasErrors { throw ExitCode.failure }
    }
}

/// The result of a check, for people and for programs.
struct CheckOutput {
    let report: MediaCheckReport
    let device: Device?

    /// A line about the medium, then each finding with its remedy.
    var text: String {
        let facts = self.report.facts
        let size = facts.size.map { "\($0) bytes" }
        var lines = [
            ([facts.url ?? "no address"]
                + [facts.container, facts.codecs.joined(separator: " "), size].compactMap { $0 }.filter { !$0.isEmpty })
                .joined(separator: ", ")
        ]
        if let device {
            let screen = device.capabilities.map { $0.contains(.videoOut) ? ", with a screen" : ", without a screen" }
            lines.append("for \(device.friendlyName)\(screen ?? "")")
        }
        for finding in self.report.findings {
            let subject = finding.subject == .media ? "" : " (\(finding.subject == .track ? "track" : "manifest") \(finding.url ?? ""))"
            lines += ["\(finding.severity.rawValue): \(finding.code.rawValue)\(subject): \(finding.text)", "  \(finding.remedy)"]
        }
        if !self.report.isComplete { lines.append("The check ended early: its limit of time or bytes was reached.") }
        if self.report.findings.isEmpty { lines.append("Nothing wrong was found.") }
        return lines.map(\.printable).joined(separator: "\n")
    }

    var json: String {
        var object = self.report.json
        object["device"] = self.device.map { .string($0.id) } ?? .null
        return String(decoding: JSONWriter.bytes(of: .object(object)), as: UTF8.self).printableJSON
    }
}
