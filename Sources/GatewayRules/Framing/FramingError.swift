/// Why a request, or an answer of the upstream's, is refused before anybody looks at what it says. After it
/// the connection is closed: where the next message begins is no longer sure.
package enum FramingError: Error, Equatable, Sendable {
    /// A line that ends with LF alone.
    case bareLineFeed
    /// A CR that no LF follows.
    case bareCarriageReturn
    /// A control character other than the tab, NUL among them.
    case controlCharacter
    /// Bytes that are not UTF-8, which would not reach the upstream as they came.
    case notUTF8
    /// A line that goes on the one before it (obs-fold, RFC 9112 § 5.2).
    case foldedLine
    /// Not `METHOD TARGET HTTP/1.1` with single spaces.
    case badRequestLine
    /// A method that is not registered (RFC 9110 § 16.1.1).
    case unknownMethod
    /// A target in absolute, authority or asterisk form.
    case targetIsNoPath
    /// A target with `#` or a byte that is not visible ASCII.
    case badTarget
    /// Neither HTTP/1.0 nor HTTP/1.1.
    case otherVersion
    /// A field without a colon, or with another name than a token.
    case badFieldName
    /// Content-Length twice.
    case repeatedContentLength
    /// A Content-Length that is not 1 to 18 digits.
    case badContentLength
    /// Both ways to say where the body ends.
    case transferEncodingBesideContentLength
    /// Transfer-Encoding twice.
    case repeatedTransferEncoding
    /// Another Transfer-Encoding than `chunked`.
    case otherTransferEncoding
    /// Transfer-Encoding in a version that does not know it.
    case transferEncodingInHTTP10
    /// No Host in HTTP/1.1.
    case missingHost
    /// Host twice.
    case repeatedHost
    /// A Host with a byte that none has.
    case badHost
    /// A chunk without its size or its end.
    case badChunk
    /// More fields than a message may have.
    case tooManyFields(limit: Int)
    /// A head, with its trailers, of more bytes than it may have.
    case headTooLarge(limit: Int)
    /// A start line of more bytes than `LineReader.maximumStartByteCount`.
    case startLineTooLong
    /// Not `HTTP/1.1 CODE REASON` with a code of three digits from 100 on.
    case badStatusLine
    /// A switch of protocols that was not asked for, or not to WebSocket.
    case unexpectedSwitch
    /// More informational answers than `ResponseFraming.maximumInformationalCount`.
    case tooManyInformational
    /// An informational answer that announces a body.
    case informationalWithBody

    /// The HTTP status (RFC 9110 § 15, RFC 6585 § 5).
    package var status: Int {
        switch self {
        case .startLineTooLong: 414
        case .headTooLarge, .tooManyFields: 431
        case .otherVersion: 505
        case .otherTransferEncoding: 501
        default: 400
        }
    }

    /// What is wrong, in lower case, without a full stop; ASCII without quotes, so that it can stand in JSON.
    package var message: String {
        switch self {
        case .bareLineFeed: "a line ends with LF alone"
        case .bareCarriageReturn: "a CR stands without its LF"
        case .controlCharacter: "a control character stands in the head"
        case .notUTF8: "a line of the head is not UTF-8"
        case .foldedLine: "a header line is folded"
        case .badRequestLine: "the request line is malformed"
        case .unknownMethod: "the method is not a registered one, in upper case"
        case .targetIsNoPath: "the target does not begin with /"
        case .badTarget: "the target has a character that must be percent-encoded"
        case .otherVersion: "only HTTP/1.1 and HTTP/1.0 are spoken here"
        case .badFieldName: "a header field has a malformed name"
        case .repeatedContentLength: "Content-Length stands twice"
        case .badContentLength: "Content-Length is no number"
        case .transferEncodingBesideContentLength: "Transfer-Encoding stands beside Content-Length"
        case .repeatedTransferEncoding: "Transfer-Encoding stands twice"
        case .otherTransferEncoding: "only the transfer coding chunked is spoken here"
        case .transferEncodingInHTTP10: "HTTP/1.0 has no Transfer-Encoding"
        case .missingHost: "Host is missing"
        case .repeatedHost: "Host stands twice"
        case .badHost: "Host is malformed"
        case .badChunk: "a chunk is malformed"
        case .tooManyFields(let limit): "the head has more than \(limit) fields"
        case .headTooLarge(let limit): "the head has more than \(limit) bytes"
        case .startLineTooLong: "the first line has more than \(LineReader.maximumStartByteCount) bytes"
        case .badStatusLine: "the status line is malformed"
        case .unexpectedSwitch: "it switches to a protocol that was not asked for"
        case .informationalWithBody: "an informational answer announces a body"
        case .tooManyInformational:
            "more than \(ResponseFraming.maximumInformationalCount) informational answers came"
        }
    }
}
