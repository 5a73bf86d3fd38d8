import ArgumentParser
import FoundationEssentials
import Identity
import TestSupport
import Testing

@testable import hubpair

/// Random command lines of commands, their synonyms, options and values: each is accepted, or refused as a
/// usage error whose suggestion is itself a command line.
@Suite struct GeneratedLinesTests {
    private static let values = [
        "Lamp", "on", "off", "40%", "-1", "Kitchen hub", "192.168.1.5", "https://hub/", "code.png",
        "/devices/", "GET",
        "7MRM-FEPH-QNYK-029X", "", "-", "--", "=", "--=", "-x", "--state=", "a'b", "Küche", "\u{1B}[2J",
        "10m", "x y",
    ]

    /// All words that are commands or mean one, and all options that some command has or that mean one.
    private static let vocabulary: (words: [String], options: [String]) = {
        var words: [String] = []
        var options: [String] = []
        var commands: [([String], any ParsableCommand.Type)] = [([], Hubpair.self)]
        while let (path, type) = commands.popLast() {
            words += CommandSynonyms.words(below: path) + path.suffix(1)
            options +=
                OptionSynonyms.names(for: path)
                + CommandForm(type).options.flatMap { [$0.name, $0.letter].compactMap(\.self) }
            commands += type.configuration.subcommands.map { (path + [$0._commandName], $0) }
        }
        return (Array(Set(words)).sorted(), Array(Set(options)).sorted())
    }()

    private static func line(_ random: inout SplitMix64) -> [String] {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in
            var word =
                switch Int.random(in: 0..<10, using: &random) {
                case 0...4: vocabulary.words.randomElement(using: &random) ?? ""
                case 5...6: vocabulary.options.randomElement(using: &random) ?? ""
                default: values.randomElement(using: &random) ?? ""
                }
            // A slip now and then.
            if Int.random(in: 0..<6, using: &random) == 0, !word.isEmpty {
                let place = word.index(
                    word.startIndex, offsetBy: Int.random(in: 0..<word.count, using: &random))
                if Bool.random(using: &random) { word.remove(at: place) } else { word.insert("e", at: place) }
            }
            return word
        }
    }

    @Test func eachIsAcceptedOrMended() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["HUBPAIR_SEED"].flatMap(UInt64.init) ?? 13
        let count = environment["HUBPAIR_LINES"].flatMap(Int.init) ?? 500
        var random = SplitMix64(seed: seed)
        var refused = 0
        var suggested = 0
        for _ in 0..<count {
            let line = GeneratedLinesTests.line(&random)
            do {
                _ = try Invocation.command(from: line)
            } catch {
                guard let mistake = error as? any UserError else {
                    let code = Hubpair.exitCode(for: error)
                    #expect([.success, .validationFailure].contains(code), "seed \(seed): \(line): \(error)")
                    continue
                }
                refused += 1
                #expect(ExitStatus(of: mistake) == .usage, "seed \(seed): \(line)")
                for suggestion in SuggestedLines.lines(in: mistake.hint ?? "") {
                    suggested += 1
                    check(suggestion, for: line, "seed \(seed): \(line): \(mistake.hint ?? "")")
                }
            }
        }
        print("\(count) lines, seed \(seed): \(refused) refused, \(suggested) suggestions")
        #expect(refused > count / 4 && suggested > count / 8)
    }

    /// What a command parses by itself is what the root makes of the line, and nothing that the root takes is
    /// left to it.
    @Test func theCommandAloneReadsWhatTheRootReads() throws {
        var commands: [([String], any ParsableCommand.Type)] = []
        var groups: [([String], any ParsableCommand.Type)] = [([], Hubpair.self)]
        while let (path, type) = groups.popLast() {
            let below = type.configuration.subcommands.map { (path + [$0._commandName], $0) }
            commands += below
            groups += below
        }
        let forms = commands.map { CommandForm($0.1) }
        var random = SplitMix64(seed: 14)
        var accepted = 0
        let count = ProcessInfo.processInfo.environment["HUBPAIR_LINES"].flatMap(Int.init) ?? 150
        for _ in 0..<count {
            let index = Int.random(in: 0..<commands.count, using: &random)
            var line = commands[index].0
            let form = forms[index]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                guard let option = form.options.randomElement(using: &random) else { break }
                line.append(Bool.random(using: &random) ? option.letter ?? option.name : option.name)
                if option.takesValue {
                    line.append(GeneratedLinesTests.values.randomElement(using: &random) ?? "")
                }
            }
            let most = max(form.sample.count, min(form.mostValues, form.sample.count + 1))
            for _ in 0..<Int.random(in: form.sample.count...most, using: &random) {
                line.append(GeneratedLinesTests.values.randomElement(using: &random) ?? "")
            }
            let alone = Invocation.direct(CommandPath(line))
            // Of a request for help and of a group without a default the root makes commands of its own.
            let root = try? Hubpair.parseAsRoot(line)
            let isPlain = root.map { type in commands.contains { $0.1 == Swift.type(of: type) } } ?? false
            guard let root, isPlain, Swift.type(of: root).configuration.subcommands.isEmpty else {
                #expect(alone == nil, "\(line)")
                continue
            }
            accepted += 1
            #expect(alone.map { String(reflecting: $0) } == String(reflecting: root), "\(line)")
        }
        #expect(accepted > count / 6)
    }

    private func check(_ suggestion: [String], for line: [String], _ comment: Comment) {
        do {
            _ = try Hubpair.parseAsRoot(suggestion)
        } catch {
            let isFault = Hubpair.exitCode(for: error) == .validationFailure
            #expect(!isFault || SuggestedLines.isForTerminal(suggestion), comment)
        }
        let destructive = suggestion.prefix(3).filter {
            ["revoke", "forget", "reset", "remove", "void", "prune"].contains($0)
        }
        guard let word = destructive.first else { return }
        // `--reset` names `reset`, too.
        let isMeant = line.map { String($0.drop { $0 == "-" }) }.contains { typed in
            Orthography.distance(typed.lowercased(), word, limit: 1) != nil
                || ["", "codes", "hub", "hubs", "devices", "home", "home scene"].contains { parent in
                    CommandSynonyms.hint(
                        for: typed, below: parent.split(separator: " ").map(String.init), before: [])?
                        .contains(word) == true
                }
        }
        #expect(isMeant, comment)
    }
}
