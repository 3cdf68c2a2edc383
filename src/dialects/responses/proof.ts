/** Marks reasoning sealed by a provider of this format: a provider rejects reasoning that it cannot open. */
const mark = 'rs:';

export function toSignature(sealed: string): string {
  return mark + sealed;
}

/** Returns the sealed reasoning if the signature is from a provider of this format. */
export function sealedReasoningIn(proof: string | undefined): string | undefined {
  return proof?.startsWith(mark) ? proof.slice(mark.length) : undefined;
}
