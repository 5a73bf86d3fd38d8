import Glibc
package import QRCodes

/// An image on standard input, the text of a code in its place, or a stream of Motion JPEG frames.
package enum StandardInput {
    /// What a stream shows on its way to the first code that is good.
    package struct StreamEvents {
        /// Called for each frame and some ten times a second between them, with the number of frames searched.
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

    /// A stream of so few frames may be a photograph with a preview or a gain map behind it: its first frame is
    /// searched like a file.
    private static let fewFrames = 8

    /// The most zeros that cameras fill up a frame with: the room of one that is not compressed.
    private static let maximumPadding = 8 << 20

    /// The codes on standard input. A stream ends at the first code that is good, by default one that a device
    /// can use.
    ///
    package static func read(
        _ search: ImageScan, events: StreamEvents = StreamEvents(isGood: { $0.content.isPairing })
    ) -> ReadCodes.Answer {
        do {
            return try answer(search, isText: { _ in false }, events: events)
        } catch {
            return ReadCodes.Answer(.failure(error))
        }
    }

    /// The same for who takes a text as well: one that is no pairing code, a typed code perhaps, is thrown as
    /// ``OtherText`` if `isText` says that the bytes are one.
    package static func read(
        _ search: ImageScan, isText: ([UInt8]) -> Bool
    ) throws -> ReadCodes.Answer {
        try answer(search, isText: isText, events: StreamEvents(isGood: { $0.content.isPairing }))
    }

    /// What was on standard input in the place of an image.
    package struct OtherText: Error {
        package let bytes: [UInt8]
    }

    private static func answer(
        _ search: ImageScan, isText: ([UInt8]) -> Bool, events: StreamEvents
    ) throws -> ReadCodes.Answer {
        var head: [UInt8] = []
        while head.count < 3, let chunk = try InputFile.readSome(STDIN_FILENO) { head += chunk }
        guard ImageFormat.detect(head) == .jpeg else {
            let input = try InputFile.readAll(STDIN_FILENO, sizeHint: 0, after: head)
            let bytes = input.bytes
            if let text = CodeContent.line(of: bytes), CodeContent(payload: text) != .other {
                return ReadCodes.Answer(.success([ReadCodes.Reading(payload: text)]))
            }
            if isText(bytes) { throw OtherText(bytes: bytes) }
            return image(input, search)
        }

        var frames = JPEGFrames()
        frames.append(head)
        guard let first = try frame(&frames, until: events.deadline, waiting: {}) else {
            // Cut off, or it took too long: what there is is read as far as it goes.
            return image(ImageBytes(frames.rest), search)
        }
        var bytes = first + frames.rest
        var behind = frames.rest.drop { $0 == 0 }
        while behind.count < 2, frames.rest.count < maximumPadding,
            let more = try InputFile.readSome(STDIN_FILENO)
        {
            bytes += more
            frames.append(more)
            behind = frames.rest.drop { $0 == 0 }
        }
        guard behind.starts(with: [0xFF, 0xD8]) else {
            return image(try InputFile.readAll(STDIN_FILENO, sizeHint: 0, after: bytes), search)
        }
        return try stream(first: first, frames: frames, search, events: events)
    }

    private static func image(_ file: ImageBytes, _ search: ImageScan) -> ReadCodes.Answer {
        ReadCodes.Answer(ParallelScan.run(file, search))
    }

    /// Searches frame after frame. Every frame is searched, and none is read ahead: what is late waits with its
    /// sender, and the pipe between holds less than a picture or two.
    private static func stream(
        first: [UInt8], frames: JPEGFrames, _ search: ImageScan, events: StreamEvents
    ) throws -> ReadCodes.Answer {
        var quick = search
        quick.effort = .quick
        quick.explains = false
        var frames = frames
        var passed: Set<[UInt8]> = []
        var pending: [ReadCodes.Reading] = []
        var count = 0
        var next: [UInt8]? = first
        while let bytes = next {
            // A frame that cannot be decoded is one that shows no code.
            let codes = (try? ParallelScan.run(ImageBytes(bytes), quick).get().result.codes) ?? []
            let readings = codes.map { ReadCodes.Reading(payload: $0.payload) }
            let good = readings.filter(events.isGood)
            if !good.isEmpty { return ReadCodes.Answer(.success(good)) }
            for reading in readings where passed.count < 1024 && passed.insert(reading.payload).inserted {
                pending.append(reading)
            }
            count += 1
            if count > fewFrames {
                pending.forEach(events.passing)
                pending = []
            }
            events.waiting(count)
            if let deadline = events.deadline, deadline <= .now { break }
            next = try frame(&frames, until: events.deadline) { events.waiting(count) }
        }
        if count <= fewFrames { return image(ImageBytes(first), search) }
        throw NoCodeError.stream(frames: count)
    }

    /// The next frame; nil at the end of the stream or at the deadline.
    private static func frame(
        _ frames: inout JPEGFrames, until deadline: ContinuousClock.Instant?, waiting: () -> Void
    ) throws -> [UInt8]? {
        while true {
            if let frame = frames.next() { return frame }
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&input, 1, 100)
            if let deadline, deadline <= .now { return nil }
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
