/// `text` in quotation marks, at most 80 characters of it: names from a server have any length. Escape it before it
/// reaches a terminal.
package func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

/// At most the first 80 characters. Scalars are counted, since one character may be made of a million.
package func shortened(_ text: String) -> String {
    if text.utf8.count <= 80 { return text }
    let head = text.unicodeScalars.prefix(81)
    return head.count <= 80 ? text : String(String.UnicodeScalarView(head.prefix(80))) + "…"
}
