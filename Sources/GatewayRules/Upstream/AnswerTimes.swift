/// How long each waits for the one behind it. They nest: who stands in front waits longer, and so hears from
/// the one behind who it is that does not answer.
package enum AnswerTimes {
    /// For the answer to what the hub asks by itself. So soon it knows that the upstream hangs.
    package static let poll = Duration.seconds(10)
    /// For the upstream's answer to one request, once its turn has come: a server asks an appliance, and that
    /// may hang.
    package static let upstream = Duration.seconds(15)
    /// For a request's turn.
    package static let turn = Duration.seconds(10)
    /// The longest that the gateway takes to answer.
    package static let gateway = turn + upstream
    /// After this long the hub tells what it knew before, whatever the upstream does.
    package static let known = Duration.seconds(2)
    /// For what the hub knows, however little time the user gives an order.
    package static let least = known + .seconds(3)
    /// For the gateway's answer, where the user says nothing else.
    package static let client = Duration.seconds(30)
}
