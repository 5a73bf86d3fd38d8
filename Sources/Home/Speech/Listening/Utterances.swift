/// Cuts a stream of samples (``SoundFile``) at its pauses into utterances. A pure value: samples go in,
/// whole utterances come out.
///
/// A piece of 10 ms is speech if it is clearly louder than the quietest of late. 0.6 s without speech end an
/// utterance. One that is shorter than 0.3 s is a cough, one of more than 10 s is a radio: neither comes out.
package struct Utterances: Sendable {
    private static let frame = SoundFile.rate / 100
    private static let pause = 60
    private static let margin = 30
    private static let (shortest, longest) = (30, 1_000)
    /// Below this no room is ever quiet enough to matter: of 32,768.
    private static let faint = 150.0

    private var rest: [Int16] = []
    /// What was before the speech, and belongs to it: its first sounds are soft.
    private var before: [Int16] = []
    private var spoken: [Int16] = []
    private var (loud, quiet) = (0, 0)
    private var floor = 1_000.0

    package init() {}

    /// Takes samples.
    ///
    /// - Returns: the utterances that are over.
    package mutating func take(_ samples: some Collection<Int16>) -> [[Int16]] {
        rest += samples
        var over: [[Int16]] = []
        var at = 0
        while at + Utterances.frame <= rest.count {
            if let utterance = take(frame: rest[at..<at + Utterances.frame]) { over.append(utterance) }
            at += Utterances.frame
        }
        rest.removeFirst(at)
        return over
    }

    /// The utterance that the end of the stream ends, if any.
    package mutating func end() -> [[Int16]] {
        take([Int16](repeating: 0, count: Utterances.frame * (Utterances.pause + 1)))
    }

    private mutating func take(frame: ArraySlice<Int16>) -> [Int16]? {
        let loudness = frame.reduce(0.0) { $0 + abs(Double($1)) } / Double(frame.count)
        floor = min(floor * 1.002 + 0.05, max(loudness, 1))
        let isSpeech = loudness > max(Utterances.faint, floor * 3)
        if spoken.isEmpty {
            guard isSpeech else {
                before += frame
                before.removeFirst(max(0, before.count - Utterances.margin * Utterances.frame))
                return nil
            }
            (spoken, before, loud, quiet) = (before, [], 0, 0)
        }
        // The rest of one that is too long is heard, and not kept.
        if loud <= Utterances.longest { spoken += frame }
        if isSpeech { (loud, quiet) = (loud + 1, 0) } else { quiet += 1 }
        guard quiet >= Utterances.pause else { return nil }
        defer { spoken = [] }
        guard (Utterances.shortest...Utterances.longest).contains(loud) else { return nil }
        return spoken.dropLast((Utterances.pause - Utterances.margin) * Utterances.frame)
    }
}
