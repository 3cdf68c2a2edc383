import { useState } from 'react';
import { recall, remember } from '../../remembered.ts';

/** What one wants to ask again: the message, and the system prompt it was tried with. */
export interface SavedPrompt {
  readonly text: string;
  readonly system: string;
}

/** The oldest gives way to a newer one. */
const savedMax = 50;

/** The prompts kept in this browser, newest first. */
export function useSavedPrompts() {
  const [prompts, setPrompts] = useState(() => readPrompts(recall('prompts')));
  const keep = (changed: readonly SavedPrompt[]) => {
    remember('prompts', changed.length === 0 ? null : JSON.stringify(changed));
    setPrompts(changed);
  };
  const without = ({ text, system }: SavedPrompt) =>
    prompts.filter((each) => each.text !== text || each.system !== system);
  return {
    prompts,
    save: (prompt: SavedPrompt) => keep([prompt, ...without(prompt)].slice(0, savedMax)),
    remove: (prompt: SavedPrompt) => keep(without(prompt)),
  };
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
