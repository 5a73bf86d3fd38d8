import CGlibc
import Glibc

/// The pages of a PDF, drawn in grey by poppler's `pdftoppm`: all at 150 dots per inch, enough for a printed
/// code, and if no page shows a code, all at 300.
///
/// A program is used instead of libpoppler, which has no C interface without GLib. Only users who read PDFs
/// need it. It runs under the limits of the process that reads the image.
struct PDFPages: PictureSequence {
    /// The maximum number of pages that are drawn.
    static let maximumPages = 64

    private let bytes: [UInt8]
    private let limits: ImageLimits
    private let budget: WorkBudget
    private var resolutions = [150, 300][...]
    private var drawing: PDFDrawing?
    private var pages = 0
    /// Why a page was not read at the first resolution.
    private var refusal: ImageError?

    init(_ bytes: [UInt8], limits: ImageLimits, budget: WorkBudget = .unlimited) {
        self.bytes = bytes
        self.budget = budget
        self.limits = limits
    }

    /// A page that is too large is an error unless another page shows a code. At the second resolution it is
    /// not an error, because the page was searched at the first.
    mutating func next(found: Bool) throws(ImageError) -> (any ImageCodec)? {
        while true {
            if let drawing {
                switch try drawing.next(limits: limits, budget: budget) {
                case .drawn(let page)?:
                    pages += 1
                    return DecodedPicture(luma: page)
                case .refused(let error)?:
                    if !resolutions.isEmpty { refusal = refusal ?? error }
                    continue
                case nil: break
                }
                // The last bytes of a page wait in its program for those of the next one.
                let cut = drawing.isStopped ? drawing.cutPage(limits: limits) : nil
                let isCut = budget.isSpent || drawing.isStopped
                try drawing.end(isEmpty: pages == 0 && refusal == nil && !isCut)
                budget.counted(drawing.seconds)
                self.drawing = nil
                if isCut { resolutions = [] }
                if let cut { return DecodedPicture(luma: cut) }
                if found || isCut { return nil }
            }
            guard let resolution = resolutions.popFirst() else {
                if let refusal, !found { throw refusal }
                return nil
            }
            let next = try PDFDrawing(bytes, resolution: resolution)
            budget.count(next.process)
            drawing = next
        }
    }
}

/// One run of `pdftoppm`. Owns its process and pipe.
final class PDFDrawing {
    let process: pid_t
    private let output: Int32
    private let complaints: Int32
    private var hasEnded = false
    /// The processor time of the program, known once it has ended.
    private(set) var seconds = 0.0
    private var stream = PDFPageStream()
    /// True if it was stopped because its budget was spent.
    private(set) var isStopped = false

    /// - Parameter resolution: in dots per inch.
    init(_ bytes: [UInt8], resolution: Int) throws(ImageError) {
        // Anonymous files in memory, so that nothing is left behind. `pdftoppm` needs a seekable file.
        let document = memfd_create("hubpair-pdf", UInt32(MFD_CLOEXEC))
        complaints = memfd_create("hubpair-pdf-errors", UInt32(MFD_CLOEXEC))
        var ends: [Int32] = [-1, -1]
        defer { for descriptor in [document, ends[1]] where descriptor >= 0 { close(descriptor) } }
        guard document >= 0, complaints >= 0, pipe2(&ends, O_CLOEXEC) == 0,
            writeAll(bytes, to: document), lseek(document, 0, SEEK_SET) == 0
        else {
            for descriptor in [complaints, ends[0]] where descriptor >= 0 { close(descriptor) }
            throw .outOfMemory
        }
        output = ends[0]

        let words = [
            "pdftoppm", "-gray", "-r", "\(resolution)", "-l", "\(PDFPages.maximumPages)", "-",
        ]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var started: pid_t = 0
        let problem = hubpair_spawn(&started, &arguments, nil, [document, ends[1], complaints])
        process = problem == 0 ? started : 0
        guard problem == 0 else {
            close(output)
            close(complaints)
            hasEnded = true
            // A folder of PATH that must not be looked into has none.
            throw problem == ENOENT || problem == EACCES ? .missing(.pdf) : .outOfMemory
        }
    }

    deinit {
        guard process > 0 else { return }
        close(output)
        if !hasEnded { stop() }
        if !hasEnded { wait() }
        close(complaints)
    }

    /// How often the budget is looked at while nothing comes, in milliseconds.
    private static let patience: Int32 = 20

    /// The next page, or nil when there are no more, or when the budget is spent: the program's time counts
    /// too.
    func next(limits: ImageLimits, budget: WorkBudget) throws(ImageError) -> PDFPageStream.Page? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let page = try stream.next(limits: limits) { return page }
            var pipe = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&pipe, 1, PDFDrawing.patience) > 0
            if budget.isSpent {
                stop()
                isStopped = true
                return nil
            }
            guard isReady else { continue }
            let got = read(output, &chunk, chunk.count)
            if got > 0 { stream.append(chunk[..<got]) } else if got == 0 || errno != EINTR { return nil }
        }
    }

    /// What there is of the page that was being drawn.
    func cutPage(limits: ImageLimits) -> LuminanceImage? { stream.cutPage(limits: limits) }

    /// Waits until the process ends. Throws if `pdftoppm` drew nothing at all.
    func end(isEmpty: Bool) throws(ImageError) {
        if !hasEnded { wait() }
        guard isEmpty else { return }
        var text = [UInt8](repeating: 0, count: 200)
        let count = pread(complaints, &text, text.count, 0)
        let line = text.prefix(max(0, count)).prefix { $0 != 0x0A }
        throw .broken(.pdf, count > 0 ? "pdftoppm says: \(boundedMessage(line))" : "it has no pages")
    }

    /// Where this process may end no other one (`hubpair-picture`), it ends with this one, which is soon.
    private func stop() {
        guard kill(process, SIGKILL) != 0 else { return }
        seconds = WorkBudget.used(by: process)
        hasEnded = true
    }

    private func wait() {
        var usage = rusage()
        while wait4(process, nil, 0, &usage) < 0 && errno == EINTR {}
        hasEnded = true
        seconds =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
