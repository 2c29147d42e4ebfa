import CastModels

enum PageArguments {
    /// A web page: its URL, or an object with `url`.
    static func parse(_ arguments: CommandArguments) throws(CommandRejection) -> DeviceCommand {
        switch arguments {
        case .text(let url), .json(.string(let url)): return .show(WebPage(url: try MediaArguments.webURL(url, of: "url")), keeps: false)
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: "show")
            guard let url = try reader.text("url", maximumBytes: MediaArguments.maximumURLBytes) else {
                throw reader.wrong("url", "given: an http or https URL")
            }
            var page = WebPage(url: try MediaArguments.webURL(url, of: "url"))
            page.isForced = try reader.bool("force") ?? false
            page.reloadInterval = try reader.number("reload", in: WebPage.reloadRange)
            if page.isForced, page.reloadInterval != nil { throw reader.wrong("reload", "left out beside force") }
            let keeps = try reader.bool("keep") ?? false
            try reader.finish()
            return .show(page, keeps: keeps)
        case .none, .json: throw CommandRejection(.badPayload, "show needs the URL of a web page, or an object with url.")
        }
    }
}
