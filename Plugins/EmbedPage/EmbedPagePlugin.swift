import Foundation
import PackagePlugin

/// Puts the files of the folder `Page` of a target into one Swift file of that target.
@main
struct EmbedPagePlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let folder = target.directoryURL.appending(path: "Page")
        let files =
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])?
            .compactMap { $0 as? URL }
            .filter { Self.isOfPage($0, in: folder) && (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true } ?? []
        let output = context.pluginWorkDirectoryURL.appending(path: "PageFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the web page", executable: try context.tool(named: "embed-page").url,
                arguments: [folder.path(percentEncoded: false), output.path(percentEncoded: false)], inputFiles: [folder] + files,
                outputFiles: [output])
        ]
    }

    /// Whether embed-page embeds the file: not what editors and file managers leave there.
    private static func isOfPage(_ file: URL, in folder: URL) -> Bool {
        !file.pathComponents.dropFirst(folder.pathComponents.count).contains { $0.hasPrefix(".") || $0.hasSuffix("~") }
    }
}
