/**
 * Tells thoughts that a provider of this format sealed from proofs of other formats: a provider refuses a conversation
 * with thoughts that it cannot open.
 */
const mark = 'rs:';

/** A provider's sealed thoughts as the proof that core carries. */
export function proven(sealed: string): string {
  return mark + sealed;
}

/** What a provider of this format sealed, if the proof is of that kind. */
export function sealedIn(proof: string | undefined): string | undefined {
  return proof?.startsWith(mark) ? proof.slice(mark.length) : undefined;
}
