/** What one wants to ask again: the message, and the system prompt it was tried with. */
export interface SavedPrompt {
  readonly text: string;
  readonly system: string;
}

/** What another version, or somebody's hand, has left there may be anything. */
export function readPrompts(kept: string | null): readonly SavedPrompt[] {
  try {
    const read: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(read) ? read.filter(isPrompt).map(({ text, system }) => ({ text, system })) : [];
  } catch {
    return [];
  }
}

function isPrompt(value: unknown): value is SavedPrompt {
  const { text, system } = (value ?? {}) as Partial<Record<keyof SavedPrompt, unknown>>;
  return typeof text === 'string' && text !== '' && typeof system === 'string';
}
