import GatewayRules

/// A text as part of a document in HTML or XML: between tags, or in an attribute's quotes. Names come from
/// strangers; they hold no control characters, which XML does not allow (XML 1.0 § 2.2).
func htmlText(_ text: some StringProtocol) -> String {
    var result = ""
    for character in text.unicodeScalars {
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        default: result.unicodeScalars.append(character)
        }
    }
    return result
}

/// A whole document without a script.
///
/// - Parameters:
///   - title: HTML.
///   - body: HTML.
func plainPage(_ title: String, in language: String, _ body: String) -> [UInt8] {
    Array(
        """
        <!DOCTYPE html>
        <html lang="\(language)">
        <head>
        <meta charset="utf-8">
        <title>\(title)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <link rel="icon" href="\(PagePath.icon.rawValue)" type="image/svg+xml">
        <link rel="stylesheet" href="\(PagePath.plainStyle.rawValue)">
        </head>
        <body>
        \(body)
        </body>
        </html>

        """.utf8)
}
