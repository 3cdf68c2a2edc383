import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { readFromTab, storeInTab } from '../../remembered.ts';
import type { ConversationEntry } from './entry.ts';

/** The messages. They survive navigation, and, without the raw frames, a reload of the tab. */
export function useEntries(name: string) {
  const { id: account } = useAccount();
  const client = useQueryClient();
  const storageName = `playground.${account}.${name}`;
  const [entries, setEntries] = useState(() =>
    restore(client.getQueryData<readonly ConversationEntry[]>([storageName]) ?? readEntries(readFromTab(storageName))),
  );
  const latest = useRef(entries);
  latest.current = entries;
  useEffect(() => {
    client.setQueryDefaults([storageName], { gcTime: Number.POSITIVE_INFINITY });
    client.setQueryData([storageName], entries);
    // A growing answer is stored once it is complete: it may change with every animation frame.
    if (!isGrowing(entries)) storeInTab(storageName, withoutFrames(entries));
  }, [client, storageName, entries]);
  useEffect(() => {
    const keep = () => storeInTab(storageName, withoutFrames(latest.current));
    document.addEventListener('visibilitychange', keep);
    return () => document.removeEventListener('visibilitychange', keep);
  }, [storageName]);
  return [entries, setEntries] as const;
}

/** The stored messages. An answer that was running when the page was left counts as `left`. */
function restore(entries: readonly ConversationEntry[]): readonly ConversationEntry[] {
  return entries.map((entry) =>
    entry.role === 'answer' && entry.run.state === 'running'
      ? { ...entry, run: { ...entry.run, state: 'left' as const } }
      : entry,
  );
}

function isGrowing(entries: readonly ConversationEntry[]): boolean {
  const last = entries.at(-1);
  return last?.role === 'answer' && last.run.state === 'running' && last.run.answer.parts.length > 0;
}

function withoutFrames(entries: readonly ConversationEntry[]): readonly ConversationEntry[] | undefined {
  if (entries.length === 0) return undefined;
  return entries.map((entry) => (entry.role === 'answer' ? { ...entry, run: { ...entry.run, frames: [] } } : entry));
}

/** Another version of the dashboard may have stored another format. Start empty then, instead of crashing. */
export function readEntries(stored: unknown): readonly ConversationEntry[] {
  return Array.isArray(stored) && stored.every(isEntry) ? stored : [];
}

function isEntry(value: unknown): value is ConversationEntry {
  const entry = (value ?? {}) as {
    role?: unknown;
    text?: unknown;
    results?: unknown;
    run?: Partial<StoredConversation> | null;
  };
  if (entry.role === 'user') return typeof entry.text === 'string';
  if (entry.role === 'tool') return Array.isArray(entry.results);
  const { run } = entry;
  return entry.role === 'answer' && Array.isArray(run?.frames) && Array.isArray(run.answer?.parts);
}

interface StoredConversation {
  readonly frames: unknown;
  readonly answer: { readonly parts?: unknown } | null;
}
