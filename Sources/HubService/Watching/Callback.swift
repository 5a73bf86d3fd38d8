import Synchronization

/// Who is told when something happens; nobody at first.
///
/// A closure that stands in a `Mutex` by itself gets another thunk around it with every use of the lock
/// (Swift 6.3): the stack of each call is 32 bytes deeper than that of the one before, and one day is too
/// small. One in a struct does not.
package final class Callback<Value>: Sendable {
    private struct Action: Sendable {
        let tell: @Sendable (Value) -> Void
    }

    private let action = Mutex<Action?>(nil)

    package init() {}

    /// - Parameter tell: told from now on, in place of the one before; nil: nobody.
    package func observe(_ tell: (@Sendable (Value) -> Void)?) {
        action.withLock { $0 = tell.map { Action(tell: $0) } }
    }

    package func tell(_ value: Value) { action.withLock { $0 }?.tell(value) }
}

extension Callback<Void> {
    package func tell() { tell(()) }
}
