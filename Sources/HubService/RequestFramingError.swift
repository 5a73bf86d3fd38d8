/// Why a request is refused before anybody looks at what it asks for. After it the connection is closed: where
/// the next request begins is no longer sure.
package enum RequestFramingError: Error, Equatable, Sendable {
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
    /// More fields than `RequestFraming.maximumFieldCount`.
    case tooManyFields
    /// More bytes than `RequestFraming.maximumHeadByteCount`.
    case headTooLarge
    /// More bytes than `RequestFraming.maximumRequestLineByteCount`.
    case requestLineTooLong

    /// The HTTP status (RFC 9110 § 15, RFC 6585 § 5).
    package var status: Int {
        switch self {
        case .requestLineTooLong: 414
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
        case .tooManyFields: "the head has more than \(RequestFraming.maximumFieldCount) fields"
        case .headTooLarge: "the head has more than \(RequestFraming.maximumHeadByteCount) bytes"
        case .requestLineTooLong:
            "the request line has more than \(RequestFraming.maximumRequestLineByteCount) bytes"
        }
    }
}
