import Glibc
import NIOCore

extension Channel {
    /// Acknowledges at once what has been received, this time. Otherwise the kernel waits 40 ms for an answer
    /// to send with the acknowledgement (RFC 1122 § 4.2.3.2), and a peer that uses Nagle's algorithm
    /// (RFC 896) sends its next bytes only after that. TCP_QUICKACK, see tcp(7).
    func acknowledgeAtOnce() {
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: CInt(TCP_QUICKACK)))
        try? syncOptions?.setOption(option, value: 1)
    }
}
