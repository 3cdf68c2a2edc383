/** A bug, not a fault of client or provider. The catcher ends the request and reports it to operators. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/** For money, slots and fairness. Always on: a failed request costs less than a ledger that is silently wrong. */
export function assert(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new InvariantViolation(rule);
}
