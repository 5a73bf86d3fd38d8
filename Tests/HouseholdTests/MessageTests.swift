import FoundationEssentials
import Household
import JSON
import Testing

@Suite struct MessageTests {
    private let time = Date(timeIntervalSince1970: 1_795_000_000.5)

    @Test func whatAMessageDoesNotHaveIsLeftOut() {
        let message = Message(id: 3, time: time, MessageDraft(kind: .alert, text: "x"))
        #expect(
            message.json().text
                == #"{"id":3,"kind":"alert","quiet":true,"text":"x","time":"2026-11-18T11:06:40.500Z"}"#)
    }

    @Test func anAlarmSaysWhereItIsFromAndWhoHasSeenIt() {
        let draft = MessageDraft(
            kind: .alarm, text: "Open", rule: "Door", device: "d", activator: "a", state: .boolean(true),
            before: .null)
        let message = Message(
            id: 1, time: time, draft,
            acknowledged: Message.Acknowledgement(by: "AAAA-BBBB-CCCC-DDDD", name: "Anna", at: time))
        #expect(
            message.json(isRead: true).text
                == #"{"acknowledged":{"at":"2026-11-18T11:06:40.500Z","by":"AAAA-BBBB-CCCC-DDDD","#
                + #""name":"Anna"},"activator":"a","before":null,"device":"d","id":1,"kind":"alarm","#
                + #""read":true,"rule":"Door","state":true,"text":"Open","#
                + #""time":"2026-11-18T11:06:40.500Z"}"#)
    }

    /// A text has a bound, and is cut between characters.
    @Test(arguments: ["x", "ä", "👩‍👩‍👧", "a\u{301}"]) func aLongTextIsCut(character: Character) {
        let text = MessageDraft(kind: .alert, text: String(repeating: character, count: 2000)).text
        #expect(text.utf8.count <= MessageDraft.maximumTextByteCount)
        #expect(text.utf8.count > MessageDraft.maximumTextByteCount - 40)
        #expect(text.dropLast().allSatisfy { $0 == character } && text.last == "…")
    }

    @Test func aShortTextStays() {
        let text = String(repeating: "x", count: MessageDraft.maximumTextByteCount)
        #expect(MessageDraft(kind: .alert, text: text).text == text)
    }

    /// What a rule tells again is counted: of an alarm while it is open, else soon after.
    @Test func whatIsToldAgainIsCounted() {
        func draft(_ kind: MessageKind, rule: String? = "Door", text: String = "Open") -> MessageDraft {
            MessageDraft(kind: kind, text: text, rule: rule, device: "d", activator: "a")
        }
        let by = Message.Acknowledgement(by: "AAAA-BBBB-CCCC-DDDD", name: "Anna", at: time)
        let (soon, late) = (time.addingTimeInterval(599), time.addingTimeInterval(86_400))
        let earlier = time.addingTimeInterval(-700)
        for (kind, isLate, isEarly) in [
            (MessageKind.alarm, true, true), (.notification, false, false), (.alert, false, false),
        ] {
            let message = Message(id: 1, time: time, draft(kind))
            #expect(message.isSame(as: draft(kind), at: soon))
            #expect(message.isSame(as: draft(kind), at: late) == isLate)
            #expect(message.isSame(as: draft(kind), at: earlier) == isEarly)
            #expect(!message.isSame(as: draft(kind, text: "Shut"), at: soon))
            #expect(!message.isSame(as: draft(kind, rule: "door"), at: soon))
            for other in MessageKind.allCases where other != kind {
                #expect(!message.isSame(as: draft(other), at: soon))
            }
            let ruleless = Message(id: 1, time: time, draft(kind, rule: nil))
            #expect(!ruleless.isSame(as: draft(kind, rule: nil), at: soon))
            let seen = Message(id: 1, time: time, draft(kind), acknowledged: by)
            #expect(seen.isSame(as: draft(kind), at: soon) == (kind != .alarm))
        }
    }

    /// Hooks hear of an open alarm once more after ten minutes, and not of each that is counted.
    @Test func hooksHearOfAnOpenAlarmNowAndThen() {
        var message = Message(id: 1, time: time, MessageDraft(kind: .alarm, text: "x", rule: "Door"))
        var told: [Int] = []
        for minute in 1...45 {
            let before = message.repeats?.told
            message = message.repeated(at: time.addingTimeInterval(60 * Double(minute)))
            if message.repeats?.told != before { told.append(minute) }
        }
        #expect(told == [10, 20, 30, 40])
        #expect(message.repeats?.count == 46)
        #expect(message.json().text.contains(#""count":46,"#))
        #expect(message.json().text.contains(#""last":"2026-11-18T11:51:40.500Z""#))
    }

    @Test(
        arguments: [
            (#"{"all":true}"#, MessageSelection()), (#"{"all":true,"more":1}"#, MessageSelection()),
            (#"{"rule":"Door","upTo":17}"#, MessageSelection(rule: "Door", last: 17)),
            (#"{"kind":"alarm","rule":null}"#, MessageSelection(kind: .alarm)),
            (#"{"all":false,"upTo":1}"#, MessageSelection(last: 1)),
        ])
    func aSelectionIsRead(body: String, selection: MessageSelection) throws {
        #expect(try MessageSelection(body: Array(body.utf8)) == selection)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"all":false}"#, #"{"all":1}"#, #"{"all":true,"rule":"Door"}"#,
        #"{"upTo":0}"#, #"{"upTo":-1}"#, #"{"upTo":1.5}"#, #"{"upTo":"1"}"#, #"{"kind":"news"}"#,
        #"{"kind":3}"#, #"{"rule":["Door"]}"#, #"{"rule":"a","rule":"b"}"#,
    ])
    func whatDoesNotSayWhichIsRefused(body: String) {
        #expect(throws: HouseholdError.self) { try MessageSelection(body: Array(body.utf8)) }
    }
}
