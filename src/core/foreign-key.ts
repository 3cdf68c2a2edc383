import { broken, type BrokenRule } from 'chat-formats/reasons/reason.ts';

/** Lengths of keys that other products have issued. */
const lengths = { min: 8, max: 512 };

const shape = new RegExp(`^[!-~]{${lengths.min},${lengths.max}}$`);

/** Whether text can be a key of another product. Says nothing about whether it is one. */
export function canBeForeignKey(text: string): boolean {
  return shape.test(text);
}

/**
 * The part of a key that new-api and one-api store: they ignore `sk-` in front of it. Undefined if another part follows.
 * There it names a channel, which only administrators may choose.
 */
export function newApiPart(secret: string): string | undefined {
  const part = secret.startsWith('sk-') ? secret.slice('sk-'.length) : secret;
  return part.includes('-') ? undefined : part;
}

/** The rule that the secret of an imported key breaks, if any. */
export function brokenKeyRule(secret: string, scheme: 'plain' | 'new-api'): BrokenRule | undefined {
  const part = scheme === 'new-api' ? newApiPart(secret) : secret;
  if (part === undefined) return broken('not_a_new_api_key');
  return canBeForeignKey(part) ? undefined : broken('not_a_foreign_key', lengths);
}
