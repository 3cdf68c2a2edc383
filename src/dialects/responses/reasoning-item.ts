import type { AssistantPart } from '../../core/message.ts';

/** What a model thought, in words or as something only its provider can read. */
export type ReasoningItem = Extract<AssistantPart, { type: 'reasoning' | 'redacted-reasoning' }>;

/** Opens what `Seal` closed; nothing for what is not ours, not this account's or not this model's. */
export type Unseal = (sealed: string) => readonly ReasoningItem[] | undefined;

/** Closes thoughts so that a client can carry them for us, or says that it cannot. */
export type Seal = (thoughts: readonly ReasoningItem[]) => string | undefined;

/** What everything sealed here begins with, so that it is told from what providers seal themselves. */
export const sealedPrefix = 'gw1.';

export function isSealedHere(sealed: string): boolean {
  return sealed.startsWith(sealedPrefix);
}
