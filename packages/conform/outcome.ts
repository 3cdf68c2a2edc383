/** The result of one check. A failure has the expected and the seen value, so that a person can act on it. */
export type CheckOutcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly expected: string; readonly seen: string }
  | { readonly kind: 'skip'; readonly reason: string };

/** Thrown if a response violates the contract. */
export class UnmetExpectation extends Error {
  readonly expected: string;
  readonly seen: string;

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, seen ${seen}`);
    this.name = 'UnmetExpectation';
    this.expected = expected;
    this.seen = seen;
  }
}

/** Thrown if a check does not apply, for example because no model calls a tool. */
export class SkippedCheck extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Skipped';
  }
}

/** Throws `UnmetExpectation` unless the condition holds. `expected` and `seen` complete "expected …" and "seen …". */
export function expectThat(condition: boolean, expected: string, seen: string): asserts condition {
  if (!condition) throw new UnmetExpectation(expected, seen);
}

export function skip(reason: string): never {
  throw new SkippedCheck(reason);
}
