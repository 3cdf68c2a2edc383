import { useEffect, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { onStorageChange, recall, remember } from '../../remembered.ts';
import { readPrompts, type SavedPrompt } from './saved-prompt.ts';

/** Beyond it, the oldest is dropped. */
const savedMax = 50;

/** The prompts that a user saved in this browser, newest first. Each user has their own. */
export function useSavedPrompts() {
  const { user } = useSession();
  const name = `prompts-${user.id}`;
  const [prompts, setPrompts] = useState(() => readPrompts(recall(name)));
  useEffect(() => onStorageChange(name, (stored) => setPrompts(readPrompts(stored))), [name]);
  const keep = (changed: readonly SavedPrompt[]) => {
    remember(name, changed.length === 0 ? null : JSON.stringify(changed));
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
