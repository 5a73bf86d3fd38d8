import CSandbox
import FoundationEssentials
import Glibc

/// The fork server: a `hubpair-picture` that has loaded what most pictures need, and makes a copy of itself
/// for each. To start a program for a small picture costs twice what reading it does.
///
/// It never sees a picture itself. Each copy is as alone as a program of its own: it gets two descriptors,
/// locks itself in, and is a child of this process, which waits for it.
package final class PictureForkServer {
    package static let argument = "copies"

    private let socket: Int32
    private let process: pid_t

    /// Nil if it cannot be started: then each picture gets a program of its own.
    init?() {
        var ends: [Int32] = [-1, -1]
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else {
            return nil
        }
        defer { close(ends[1]) }
        guard
            let started = try? PictureProgram.spawn(
                [PictureForkServer.argument], input: ends[1], output: nowhere)
        else {
            close(ends[0])
            return nil
        }
        (socket, process) = (ends[0], started)
    }

    deinit {
        close(socket)
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    }

    /// A copy with these as its standard input and output; nil if it makes none.
    func copy(input: Int32, output: Int32) -> pid_t? {
        let started = hubpair_ask_for_copy(socket, [input, output])
        return started > 0 ? started : nil
    }

    /// The other side: returns in each copy.
    package static func serve() {
        PictureLibraries.loadUsual()
        // What the first search makes and links, all of them then share. Nobody's picture is searched here,
        // where nothing is locked.
        if let png = Data(base64Encoded: PictureForkServer.ownPicture),
            let outcome = try? ImageScan().run(ImageBytes(Array(png))),
            let line = try? PictureRequest.search(ImageScan(), .png).line().dropLast()
        {
            _ = try? PictureRequest(line: line)
            _ = try? PictureAnswer.found(outcome, explanation: nil).line()
        }
        hubpair_copy_on_demand()
    }

    /// A PNG of 87 × 87 pixels with a code that says A.
    private static let ownPicture = """
        iVBORw0KGgoAAAANSUhEUgAAAFcAAABXAQAAAABZs+TBAAAAt0lEQVR42s3TsQ3DIBAF0JNS0GWCk1iDjpVgAfAEyUp0rGHJ
        C0DnAvlythLS4HNrRPEK0H0OAOpjg1u4AASDAFpwpRagRRKd0Bl06sLBtEvHjBcmLoo9w9Cc3+f/WYbmUYzuPRm6KACYY5bM
        851bTJJphZh1PbKdebPLpH57T8x1nUWftOAj//KyJHjvQ5qfSjL308FjMqIT+pXXa9nBfvML5sut/S0NTc3v/ZTM+Z1CnyXf
        6w9+AKOrruB0Eob4AAAAAElFTkSuQmCC
        """.filter { $0 != "\n" }
}
