import ArgumentParser
import BridgeCore
import Dashboard
import Glibc

/// `cast2mqtt hash-password`: makes what `web.passwords` takes.
struct HashPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash-password", abstract: "Makes the hash of a password for web.passwords.",
        discussion: """
            Asks for the password twice and shows nothing of it; without a terminal it reads one line from standard input. Prints the hash, which goes into the
            configuration as web.passwords.admin, web.passwords.control or web.passwords.view.
            """)

    func run() throws {
        let password = try isatty(STDIN_FILENO) == 1 ? Self.ask() : readLine(strippingNewline: true) ?? ""
        if let problem = Self.problem(bytes: password.utf8.count) {
            StandardError.print(problem)
            throw ExitCode(EX_USAGE)
        }
        print(try PasswordHash.make(password).text)
    }

    private static func ask() throws -> String {
        let first = self.prompt("Password: ")
        guard first == self.prompt("Again: ") else {
            StandardError.print("They differ.")
            throw ExitCode(EX_USAGE)
        }
        return first
    }

    private static func problem(bytes: Int) -> String? {
        let lengths = PasswordHash.lengths
        if bytes < lengths.lowerBound { return "The password must have at least \(lengths.lowerBound) bytes." }
        if bytes > lengths.upperBound { return "The password must have at most \(lengths.upperBound) bytes." }
        return nil
    }

    /// Reads a line while the terminal shows nothing of it.
    private static func prompt(_ text: String) -> String {
        StandardError.print(text)
        StandardError.flush()
        switch PasswordPrompt(terminal: STDIN_FILENO).read() {
        case .line(let line): return line
        case .interrupted(let signal):
            raise(signal)
            // Where the signal is ignored, as for a job in the background of a script.
            Glibc.exit(128 + signal)
        }
    }
}

/// `cast2mqtt make-token`: makes a token for the API and what `web.tokens` takes.
struct MakeTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-token", abstract: "Makes a token for programs that call the web API.",
        discussion: """
            Prints the token, which only the program gets, as the header "Authorization: Bearer TOKEN", and the entry for web.tokens. The entry has a hash: the token
            can't be read from the configuration.
            """)

    @Argument(help: "A name by which you recognise the token: 1 to 40 letters, digits, -, _ or .")
    var name: String

    @Option(help: "view looks, control commands devices, admin may do everything.")
    var role = "view"

    func validate() throws {
        guard WebRole(rawValue: self.role) != nil else {
            throw ValidationError("--role takes \(WebRole.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let isName = self.name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        guard (1...40).contains(self.name.utf8.count), isName else {
            throw ValidationError("the name must be 1 to 40 letters, digits, -, _ or .")
        }
    }

    func run() {
        let token = "c2m_" + RandomText.make()
        print("token: \(token)")
        print("web.tokens: - {name: \(self.name), role: \(self.role), hash: \(HexadecimalText.of(RandomText.digest(token)))}")
    }
}
