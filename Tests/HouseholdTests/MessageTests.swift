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
                == #"{"id":3,"kind":"alert","text":"x","time":"2026-11-18T11:06:40.500Z"}"#)
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
}
