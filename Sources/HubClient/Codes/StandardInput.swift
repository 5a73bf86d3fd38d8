import Glibc
package import QRCodes

/// Reads standard input: an image, the text of a code in its place, or a stream of Motion JPEG frames.
package struct StandardInput {
    /// What a stream shows on its way to the first code that is good.
    package struct StreamEvents {
        /// Called for each frame and some ten times a second between them, with the number of frames
        /// searched.
        package var waiting: (Int) -> Void
        /// Called for each code that is not good, once, but not for the few of a short stream.
        package var passing: (ReadCodes.Reading) -> Void
        /// Whether a code ends the stream.
        package var isGood: (ReadCodes.Reading) -> Bool
        /// When to give up; nil for never.
        package var deadline: ContinuousClock.Instant?

        package init(
            deadline: ContinuousClock.Instant? = nil, isGood: @escaping (ReadCodes.Reading) -> Bool,
            passing: @escaping (ReadCodes.Reading) -> Void = { _ in },
            waiting: @escaping (Int) -> Void = { _ in }
        ) {
            self.deadline = deadline
            self.isGood = isGood
            self.passing = passing
            self.waiting = waiting
        }
    }

    /// A stream of at most this many frames may be a photograph with a preview or a gain map behind it. Its
    /// first frame is searched like a file.
    private static let fewFrames = 8

    /// The most zeros between two frames: cameras fill a frame up to the size of an uncompressed one.
    private static let maximumPadding = 8 << 20

    /// What stands on standard input where a code is expected.
    enum Content {
        /// The codes in an image or a stream, or the text of a pairing code; or why there are none.
        case codes(ReadCodes.Answer)
        /// Another short text: a typed code perhaps, or nothing at all.
        case text(String)
    }

    private enum Input {
        /// The text of a pairing code, usable or not.
        case code(ReadCodes.Reading)
        /// Anything else that has an end.
        case file(ImageBytes)
        case stream(first: [UInt8], JPEGFrames)
    }

    private let search: ImageScan
    private let events: StreamEvents

    /// - Parameter events: for a stream. It ends at the first code that is good, by default one for pairing.
    package init(
        _ search: ImageScan, events: StreamEvents = StreamEvents(isGood: { $0.content.isPairing })
    ) {
        self.search = search
        self.events = events
    }

    /// The codes on standard input.
    package func codes() -> ReadCodes.Answer {
        do {
            return try answer(to: input())
        } catch {
            return ReadCodes.Answer(.failure(error))
        }
    }

    /// The codes on standard input, or a text that is not a pairing code.
    func codesOrText() throws -> Content {
        let input = try input()
        if case .file(let file) = input, let text = CodeContent.text(of: file.bytes) { return .text(text) }
        return .codes(try answer(to: input))
    }

    /// Reads up to the end, or of a stream the first frame.
    private func input() throws -> Input {
        var head: [UInt8] = []
        while head.count < 3, let chunk = try InputFile.readSome(STDIN_FILENO) { head += chunk }
        guard ImageFormat.detect(head) == .jpeg else {
            let file = try InputFile.readAll(STDIN_FILENO, sizeHint: 0, after: head)
            if let text = CodeContent.text(of: file.bytes) {
                let reading = ReadCodes.Reading(payload: Array(text.utf8))
                if reading.content != .other { return .code(reading) }
            }
            return .file(file)
        }

        var frames = JPEGFrames()
        frames.append(head)
        guard let first = try frame(&frames, waiting: {}) else {
            // It is cut off, or took too long: what has come is read as far as it goes.
            return .file(ImageBytes(frames.rest))
        }
        var bytes = first + frames.rest
        var behind = frames.rest.drop { $0 == 0 }
        while behind.count < 2, frames.rest.count < StandardInput.maximumPadding,
            let more = try InputFile.readSome(STDIN_FILENO)
        {
            bytes += more
            frames.append(more)
            behind = frames.rest.drop { $0 == 0 }
        }
        guard behind.starts(with: [0xFF, 0xD8]) else {
            return .file(try InputFile.readAll(STDIN_FILENO, sizeHint: 0, after: bytes))
        }
        return .stream(first: first, frames)
    }

    private func answer(to input: Input) throws -> ReadCodes.Answer {
        switch input {
        case .code(let reading): ReadCodes.Answer(.success([reading]))
        case .file(let file): image(file)
        case .stream(let first, let frames): try stream(first: first, frames: frames)
        }
    }

    private func image(_ file: ImageBytes) -> ReadCodes.Answer {
        ReadCodes.Answer(ParallelScan.run(file, search))
    }

    /// Searches frame after frame. None is skipped and none is read ahead: the sender waits, and the pipe
    /// holds at most a picture or two.
    private func stream(first: [UInt8], frames: JPEGFrames) throws -> ReadCodes.Answer {
        var quick = search
        quick.effort = .quick
        quick.explains = false
        var frames = frames
        var passed: Set<[UInt8]> = []
        var pending: [ReadCodes.Reading] = []
        var count = 0
        var next: [UInt8]? = first
        while let bytes = next {
            // A frame that cannot be decoded counts as one without a code.
            let codes = (try? ParallelScan.run(ImageBytes(bytes), quick).get().result.codes) ?? []
            let readings = codes.map {
                ReadCodes.Reading(payload: $0.payload, stated: $0.stated, corners: $0.corners)
            }
            let good = readings.filter(events.isGood)
            if !good.isEmpty { return ReadCodes.Answer(.success(good)) }
            for reading in readings where passed.count < 1024 && passed.insert(reading.payload).inserted {
                pending.append(reading)
            }
            count += 1
            if count > StandardInput.fewFrames {
                pending.forEach(events.passing)
                pending = []
            }
            events.waiting(count)
            if let deadline = events.deadline, deadline <= .now { break }
            next = try frame(&frames) { events.waiting(count) }
        }
        if count <= StandardInput.fewFrames { return image(ImageBytes(first)) }
        throw NoCodeError.stream(frames: count)
    }

    /// The next frame; nil at the end of the stream or at the deadline.
    private func frame(_ frames: inout JPEGFrames, waiting: () -> Void) throws -> [UInt8]? {
        while true {
            if let frame = frames.next() { return frame }
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&input, 1, 100)
            if let deadline = events.deadline, deadline <= .now { return nil }
            guard ready != 0 else {
                waiting()
                continue
            }
            guard let chunk = try InputFile.readSome(STDIN_FILENO) else { return nil }
            frames.append(chunk)
        }
    }
}

extension CodeContent {
    /// A pairing code that can be used, as far as its text tells.
    package var isPairing: Bool {
        if case .pairing = self { true } else { false }
    }
}
