import ArgumentParser
import Bridge
import BridgeConfiguration
import CastSender
import Dashboard
import FoundationEssentials
import Glibc
import LogKeys
import Logging

/// `cast2mqtt setup-code`: prints the setup code of the running bridge.
struct SetupCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup-code", abstract: "Prints the code that the web page asks for while it has no password.",
        discussion: """
            The code is that of the running bridge and changes when it starts. Paste it into the page, open http://127.0.0.1:8099/#code=CODE, or send it as
            "Authorization: Bearer CODE". With a password in web.passwords there is none.

            Exit codes: 0 printed, 1 there is none or this user may not read it, 64 wrong usage, 78 the configuration is wrong.
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        var problem = "no bridge of this configuration runs here, or its page has a password"
        // The bridge is asked first: the file stays after its end.
        do {
            if let (_, folder, _) = try await ControlSocket.find(try self.file.load().configuration) {
                let path = "\(folder)/\(ControlDirectory.setupCodeName)"
                do throws(WholeFile.Failure) {
                    return print(String(decoding: try WholeFile.read(path, limit: 1024), as: UTF8.self), terminator: "")
                } catch {
                    if error.number != ENOENT {
                        problem = StateDirectory.Problem.notReadable(path: path, errno: error.number, owner: nil).cause
                    }
                }
            }
        } catch let silence as ControlSocket.Silence {
            problem = "the bridge did not answer at \(silence.path)"
        }
        StandardError.print("no setup code: \(problem)")
        throw ExitCode(1)
    }
}

/// The setup code of this run.
struct SetupCode {
    let text: String

    /// Makes a code and keeps it for `cast2mqtt setup-code`, readable by this user alone; removes that of a former run when none is needed.
    /// - Returns: `nil` when the page has a password or does not listen.
    static func make(_ configuration: Configuration, folder: String?, _ logger: Logger) -> Self? {
        let path = folder.map { "\($0)/\(ControlDirectory.setupCodeName)" }
        guard !configuration.web.listen.isEmpty, configuration.web.passwords.isEmpty else {
            if let path { unlink(path) }
            return nil
        }
        let code = Self(text: String(RandomText.make().prefix(32)))
        if let path, let number = PrivateFile.replace(path, with: Array((code.text + "\n").utf8), syncs: false) {
            let problem = StateDirectory.Problem.notWritable(path: path, errno: number)
            logger.warning("the setup code can't be written", metadata: [.reason: "\(problem.cause)", .remedy: "\(problem.remedy)"])
        }
        return code
    }

    /// Removes what `cast2mqtt setup-code` prints: with a password the code opens nothing.
    static func remove(besides stateDirectory: String?) {
        guard let folder = ControlDirectory.own(stateDirectory: stateDirectory, environment: ProcessInfo.processInfo.environment) else {
            return
        }
        unlink("\(folder)/\(ControlDirectory.setupCodeName)")
    }

    /// Tells people how to open the page. Not in the log, which others may read: in a journal only the way to the code.
    func announce(_ page: String, _ logger: Logger) {
        guard !StandardError.isJournal, !StandardError.isJournal(STDOUT_FILENO) else {
            return logger.notice("the page asks for the setup code", metadata: [.remedy: "cast2mqtt setup-code prints it"])
        }
        print("Open the page on this machine: \(page)#code=\(self.text)")
        fflush(nil)
    }
}
