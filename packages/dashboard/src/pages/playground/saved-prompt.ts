/** A saved message with its system prompt. */
export interface SavedPrompt {
  readonly text: string;
  readonly system: string;
}

/** The stored value may have another format, or may have been edited by hand. */
export function readPrompts(stored: string | null): readonly SavedPrompt[] {
  try {
    const read: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(read) ? read.filter(isPrompt).map(({ text, system }) => ({ text, system })) : [];
  } catch {
    return [];
  }
}

function isPrompt(value: unknown): value is SavedPrompt {
  const { text, system } = (value ?? {}) as Partial<Record<keyof SavedPrompt, unknown>>;
  return typeof text === 'string' && text !== '' && typeof system === 'string';
}
