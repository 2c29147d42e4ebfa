import Hummingbird

enum PageRoutes {
    /// Browsers request it by themselves and log an error when it is missing.
    private static let icons = ["favicon.ico", "favicon.svg", "icon.svg", "icons/icon.svg", "icons/favicon.svg"]

    static func add(to router: Router<DashboardContext>) {
        for (path, file) in [("/", "index.html"), ("/mini", "mini.html"), ("/panel", "panel.html")] {
            router.get(RouterPath(path)) { request, _ in
                guard let file = PageFile.named(file) else { throw WebError.notFound }
                return file.response(to: request.headers, isVersioned: false)
            }
        }
        router.get("/favicon.ico") { request, _ in
            guard let icon = Self.icons.lazy.compactMap(PageFile.named).first else { return Response(status: .noContent) }
            return icon.response(to: request.headers, isVersioned: false)
        }
        // A path is looked up in the embedded list of files, never on a disk.
        router.get("/assets/:version/**") { request, context in
            guard context.parameters.get("version") == PageFile.version,
                let file = PageFile.named(context.parameters.getCatchAll().joined(separator: "/"))
            else { throw WebError.notFound }
            return file.response(to: request.headers, isVersioned: true)
        }
    }
}
