import Discovery
import FoundationEssentials
import Glibc
import Home
import HubClient
import HubService
import Identity
import Pairing
import QRCodes

/// The exit codes, after sysexits.h. Thrown by itself it ends the program in silence: what was wrong has
/// been said already.
enum ExitStatus: Int32, Error {
    case done = 0
    /// A search that found nothing.
    case nothingFound = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    /// Nobody answers: no daemon, no hub; or what would draw is not installed.
    case unavailable = 69
    case cannotWrite = 73
    case tryAgain = 75
    /// Not permitted, or not approved.
    case notPermitted = 77
    case badConfiguration = 78

    /// The exit code that the documentation promises for `error`.
    init(of error: any Error) {
        self =
            switch error {
            case let status as ExitStatus: status
            case let failure as HubFailure: ExitStatus(of: failure.error)
            case is HubTooSlow: .unavailable
            case is SecretInArguments, is UnknownCommand, is NotUTF8, is TerminalTooNarrow, is PeerNameError,
                is UpstreamError,
                is SweepRangeError, is OutputIsInput:
                .usage
            case is PairingCodeError, is TypedCodeError: .badData
            case is BadKeyFile: .badConfiguration
            case let error as FileError: ExitStatus(of: error)
            case let error as HubError: ExitStatus(of: error)
            case let error as ServeError: ExitStatus(of: error)
            case let error as PeerSelectorError: ExitStatus(of: error)
            case let error as HubConnectionError: ExitStatus(of: error)
            case let error as PairRefusal: ExitStatus(of: error)
            case let error as PairError: ExitStatus(of: error)
            case let error as ServerError: ExitStatus(of: error)
            case let error as SelectionError: ExitStatus(of: error)
            case PlainWordsError.unknown, SceneError.unknown: .nothingFound
            case SceneError.hubIsGone: .badConfiguration
            case is PlainWordsError, is SettingError, is InfoFieldError, is InfoAnswersError, is SceneError:
                .usage
            case is UseHubError: .notPermitted
            // Who answers is not the hub.
            case is PairReplyError: .notPermitted
            case HubSearchError.notFound: .unavailable
            case is HubSearchError: .usage
            case is NoHubError: .nothingFound
            case is DeviceIdentityError: .badConfiguration
            case is OutputError: .cannotWrite
            case is NoCodeError: .nothingFound
            case is ImageError: .badData
            case InputFileError.tooLarge, InputFileError.longer: .badData
            case InputFileError.notPermitted: .notPermitted
            case is InputFileError: .noInput
            // What a picture does to the reader is the picture's fault.
            case QRScanError.crashed, QRScanError.tookTooLong: .badData
            case QRScanError.missingLibrary: .unavailable
            case is QRScanError, is QREncodeError, is RenderError: .tryAgain
            case PDFError.labelTooSmall, PDFError.tooManyLabels, PDFError.sheetTooLarge: .usage
            case PDFError.missingLibrary, PDFError.noFont: .unavailable
            case is PDFError: .tryAgain
            case is DiscoveryError: .unavailable
            case AddHubError.nameTaken: .usage
            case is AddHubError: .unavailable
            default: .badData
            }
    }

    private init(of error: FileError) {
        self =
            switch error {
            case .missing: .noInput
            case .exists: .cannotWrite
            case .locked: .tryAgain
            case .notDirectory, .notPrivate, .symbolicLink, .linkedFile, .notRegular, .otherOwner, .tooOpen,
                .tooLarge:
                .badConfiguration
            case .system(EACCES, _, _), .system(EPERM, _, _): .notPermitted
            case .system(let code, _, _):
                [ENOSPC, EDQUOT, EROFS, EFBIG, EIO, EMLINK].contains(code) ? .cannotWrite : .badConfiguration
            }
    }

    private init(of error: HubError) {
        self =
            switch error {
            case .notSetUp, .missingKey, .unreadableKey, .missingFile: .badConfiguration
            case .otherSettings, .badLifetime, .asksByName: .usage
            case .revoked: .notPermitted
            case .askLapsed: .tryAgain
            }
    }

    private init(of error: ServeError) {
        self =
            switch error {
            case .portBusy: .unavailable
            case .portNotPermitted: .notPermitted
            case .noSuchAddress, .cannotListen, .tooFewDescriptors, .upstreamIsHub: .badConfiguration
            }
    }

    private init(of error: HubConnectionError) {
        self =
            switch error.reason {
            case .invalidRequest: .usage
            // Never to be tried again by a script: somebody stands in the hub's place.
            case .otherKey: .notPermitted
            case .busy: .tryAgain
            default: .unavailable
            }
    }

    private init(of error: PairRefusal) {
        self =
            switch error.code {
            case .tooManyAttempts, .unavailable: .tryAgain
            case .notApproved, .noCertificate: .notPermitted
            case .nameInvalid: .usage
            // The code is unknown, used up or expired: another one is needed.
            default: .badData
            }
    }

    private init(of error: PairError) {
        self =
            switch error {
            case .noHub: .unavailable
            case .revoked: .notPermitted
            case .askIsGone, .notApprovedInTime: .tryAgain
            }
    }

    private init(of error: ServerError) {
        self =
            switch error {
            case .gateway(401, _, _), .gateway(403, _, _), .refused(401, _, _, _), .refused(403, _, _, _):
                .notPermitted
            case .gateway(408, _, _), .gateway(429, _, _), .gateway(503, _, _), .status(503, _): .tryAgain
            case .refused(404, "NotFoundException", _, _): .nothingFound
            case .refused(500..., _, _, _), .status(500..., _), .gateway(500..., _, _): .unavailable
            case .refused, .status, .gateway, .unreadable: .badData
            }
    }

    private init(of error: SelectionError) {
        self =
            switch error {
            case .unknown: .nothingFound
            case .ambiguous: .usage
            }
    }

    /// Of several things that went wrong, what a script must know first.
    static func worst(of all: [ExitStatus]) -> ExitStatus {
        let ranks: [ExitStatus] = [
            .done, .tryAgain, .nothingFound, .usage, .noInput, .badData, .unavailable, .cannotWrite,
            .badConfiguration, .notPermitted,
        ]
        return ranks.last(where: all.contains) ?? .done
    }

    private init(of error: PeerSelectorError) {
        self =
            switch error {
            case .unknown: .nothingFound
            case .ambiguous, .nameTaken: .usage
            }
    }
}

/// A pairing code was given as an argument. Its text is not repeated.
struct SecretInArguments: Error, LocalizedError, CustomStringConvertible {
    var description: String { "a pairing code is secret, and everybody on this machine can read arguments" }
    var errorDescription: String? { description }
    var recoverySuggestion: String? { "use '-' and give the code on standard input" }
}
