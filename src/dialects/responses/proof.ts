/**
 * Marks reasoning that a provider of this format sealed, as opposed to signatures of other formats. A provider rejects
 * a conversation with reasoning that it cannot open.
 */
const mark = 'rs:';

/** Converts a provider's sealed reasoning to a signature for core. */
export function toSignature(sealed: string): string {
  return mark + sealed;
}

/** Returns the sealed reasoning if the signature is from a provider of this format. */
export function sealedReasoningIn(proof: string | undefined): string | undefined {
  return proof?.startsWith(mark) ? proof.slice(mark.length) : undefined;
}
