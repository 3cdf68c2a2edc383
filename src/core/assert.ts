/** A rule of our own was broken: not the client's fault, nor the provider's. Whoever catches it ends the request and tells the operators. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * Says what must be so wherever a wrong state would cost money, places or fairness. Always on: a request that ends with
 * an error is cheaper than a ledger that is wrong without a word.
 */
export function assert(condition: boolean, rule: string): asserts condition {
  if (!condition) throw new InvariantViolation(rule);
}
