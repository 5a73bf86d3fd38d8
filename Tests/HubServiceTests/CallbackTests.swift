import Synchronization
import Testing

@testable import HubService

@Suite struct CallbackTests {
    /// The hundredth call has no deeper stack than the first: a hub runs for months.
    @Test func theStackStaysAsItIs() {
        let places = Mutex<Set<UInt>>([])
        let callback = Callback<Int>()
        callback.observe { number in
            var here = number
            let place = withUnsafePointer(to: &here) { UInt(bitPattern: $0) }
            places.withLock { _ = $0.insert(place) }
        }
        for number in 0..<100 { callback.tell(number) }
        #expect(places.withLock { $0.count } == 1)
    }

    @Test func theLastOneIsTold() {
        let told = Mutex<[String]>([])
        let callback = Callback<Void>()
        callback.tell()
        callback.observe { told.withLock { $0.append("one") } }
        callback.observe { told.withLock { $0.append("other") } }
        callback.tell()
        callback.observe(nil)
        callback.tell()
        #expect(told.withLock { $0 } == ["other"])
    }
}
