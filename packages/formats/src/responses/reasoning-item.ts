import type { AssistantPart } from '../chat/message.ts';

/** The reasoning of a model, as text or in a form that only its provider can read. */
export type ReasoningItem = Extract<AssistantPart, { type: 'reasoning' | 'redacted-reasoning' }>;

/** Opens what `Seal` sealed. Returns undefined if it is from another gateway, account or model. */
export type Unseal = (sealed: string) => readonly ReasoningItem[] | undefined;

/** Seals reasoning so that a client can send it back later. Returns undefined if it cannot be sealed. */
export type Seal = (reasoning: readonly ReasoningItem[]) => string | undefined;

/** Prefix of everything that this gateway seals. It distinguishes it from what providers seal. */
export const sealedPrefix = 'gw1.';

export function isSealedHere(sealed: string): boolean {
  return sealed.startsWith(sealedPrefix);
}

/** Marks reasoning sealed by a provider of this format: a provider rejects reasoning that it cannot open. */
const mark = 'rs:';

export function toSignature(sealed: string): string {
  return mark + sealed;
}

/** Returns the sealed reasoning if the signature is from a provider of this format. */
export function sealedReasoningIn(proof: string | undefined): string | undefined {
  return proof?.startsWith(mark) ? proof.slice(mark.length) : undefined;
}
