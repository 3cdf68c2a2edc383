/** What became of one check. A failure says what was expected and what was seen, so that a person can act on it. */
export type CheckOutcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly expected: string; readonly seen: string }
  | { readonly kind: 'skip'; readonly reason: string };

/** Thrown where a check meets something the contract does not allow. */
export class Unmet extends Error {
  readonly expected: string;
  readonly seen: string;

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, seen ${seen}`);
    this.name = 'Unmet';
    this.expected = expected;
    this.seen = seen;
  }
}

/** Thrown where a check finds nothing to judge, such as a model that never calls a tool. */
export class SkippedCheck extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Skipped';
  }
}

/** Goes on only when the condition holds; `expected` and `seen` complete "expected …" and "seen …". */
export function demand(condition: boolean, expected: string, seen: string): asserts condition {
  if (!condition) throw new Unmet(expected, seen);
}

export function skip(reason: string): never {
  throw new SkippedCheck(reason);
}
