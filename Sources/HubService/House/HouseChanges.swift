import Synchronization

/// Who is to know that the household's files are others than before.
final class HouseChanges: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func observe(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }

    func tell() { action.withLock { $0 }?() }
}
