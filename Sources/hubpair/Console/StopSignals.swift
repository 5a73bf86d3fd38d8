import Dispatch
import Glibc

/// SIGINT and SIGTERM as a sequence; SIGHUP and SIGPIPE do nothing.
struct StopSignals {
    let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        for number in [SIGHUP, SIGPIPE, SIGINT, SIGTERM] { signal(number, SIG_IGN) }
        sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }
}
