/// Why a request, or a response of the upstream, is refused for its syntax alone. The connection is then
/// closed, because the start of the next message is uncertain. Never reaches a user: the hub answers
/// with a status.
package enum FramingError: Error, Equatable, Sendable {
    /// A line that ends with LF alone.
    case bareLineFeed
    /// A CR without a following LF.
    case bareCarriageReturn
    /// A control character other than tab, including NUL.
    case controlCharacter
    /// Bytes that are not UTF-8; they would not reach the upstream unchanged.
    case notUTF8
    /// A folded line, which continues the one before (obs-fold, RFC 9112 § 5.2).
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
    /// A field without a colon, or whose name is not a token.
    case badFieldName
    /// Content-Length twice.
    case repeatedContentLength
    /// A Content-Length that is not 1 to 18 digits.
    case badContentLength
    /// Both Transfer-Encoding and Content-Length.
    case transferEncodingBesideContentLength
    /// Transfer-Encoding twice.
    case repeatedTransferEncoding
    /// A Transfer-Encoding other than `chunked`.
    case otherTransferEncoding
    /// Transfer-Encoding in HTTP/1.0, which does not define it.
    case transferEncodingInHTTP10
    /// No Host in HTTP/1.1.
    case missingHost
    /// Host twice.
    case repeatedHost
    /// A Host with an invalid byte.
    case badHost
    /// A chunk without a valid size or end.
    case badChunk
    /// More fields than a message may have.
    case tooManyFields(limit: Int)
    /// More bytes than a head with its trailers may have.
    case headTooLarge(limit: Int)
    /// A start line longer than `LineReader.maximumStartByteCount`.
    case startLineTooLong
    /// Not `HTTP/1.1 CODE REASON` with a three-digit code of at least 100.
    case badStatusLine
    /// A protocol switch that was not requested, or is not to WebSocket.
    case unexpectedSwitch
    /// More informational responses than `ResponseFraming.maximumInformationalCount`.
    case tooManyInformational
    /// An informational response that announces a body.
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

    /// What is wrong, in lower case, without a full stop; ASCII without quotes, so it needs no JSON escapes.
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
        case .repeatedContentLength: "Content-Length is given twice"
        case .badContentLength: "Content-Length is not a number"
        case .transferEncodingBesideContentLength: "Transfer-Encoding stands beside Content-Length"
        case .repeatedTransferEncoding: "Transfer-Encoding is given twice"
        case .otherTransferEncoding: "only the transfer coding chunked is spoken here"
        case .transferEncodingInHTTP10: "HTTP/1.0 has no Transfer-Encoding"
        case .missingHost: "Host is missing"
        case .repeatedHost: "Host is given twice"
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
