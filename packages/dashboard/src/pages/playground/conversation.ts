import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { ApiError } from '../../api/api-error.ts';
import { useRefreshedStatus } from '../../api/own-account.ts';
import { useSession } from '../../api/session.ts';
import { readFromTab, storeInTab } from '../../remembered.ts';
import { callsOf, type PlaygroundMessage, type ToolResult } from './answer.ts';
import { type ConversationEntry, newRun, type Run, runRequest } from './run.ts';
import type { Settings } from './settings.ts';
import { surfaces } from './surfaces.ts';

const paths = {
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: (prefix: string) => `${prefix}/v1/messages`,
} as const;

export type Conversation = ReturnType<typeof useConversation>;

export interface ConversationOptions {
  /** Identifies one of the conversations of an account while the tab is open. */
  readonly name: 'first' | 'second';
  readonly settings: Settings;
  /** Returns the key to send; undefined if the user has none. Throws if none can be created. */
  readonly secret: () => Promise<string | undefined>;
  /** Called after each request with whether the gateway rejected the key. */
  readonly onKey: (secret: string, isRefused: boolean) => void;
}

/** A conversation with a model. One request runs at a time. Leaving the page aborts it and keeps the messages. */
export function useConversation({ name, settings, secret, onKey }: ConversationOptions) {
  const { messages_prefix: prefix } = useSession();
  const [entries, setEntries] = useEntries(name);
  const running = useRef<AbortController>(undefined);
  const refreshStatus = useRefreshedStatus();
  useEffect(() => () => running.current?.abort(), []);
  const last = entries.at(-1);
  const run = last?.role === 'answer' ? last.run : undefined;

  async function request(before: readonly ConversationEntry[]): Promise<void> {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    const show = (shown: Run) => {
      if (running.current === controller) setEntries([...before, { role: 'answer', run: shown }]);
    };
    show(newRun);
    try {
      const key = await secret();
      if (key === undefined) setEntries(before);
      else await answer(key, before, { show, signal: controller.signal });
    } catch (cause) {
      // Shown as a failed answer, which the user can retry.
      const { code, message } = cause instanceof ApiError ? cause : ApiError.unreachable(cause);
      show({ ...newRun, state: 'failed', error: { code, message } });
    }
    if (running.current === controller) running.current = undefined;
  }

  async function answer(
    key: string,
    before: readonly ConversationEntry[],
    { show, signal }: { readonly show: (run: Run) => void; readonly signal: AbortSignal },
  ): Promise<void> {
    const pace = paced(show);
    const { surface } = settings;
    const body = surfaces[surface].body(settings, messagesOf(before));
    const ended = await runRequest({ surface, path: paths[surface](prefix), secret: key, body, signal }, pace.show);
    pace.cancel();
    // The key may have been rejected because its account was suspended. If so, the whole page must show that.
    const status = ended.state === 'failed' ? refreshStatus() : undefined;
    const isSuspended = ended.status === 401 && (await status) === 'suspended';
    if (ended.status !== undefined) onKey(key, ended.status === 401 && !isSuspended);
    show({ ...ended, ...(isSuspended && { isSuspended }) });
  }

  const stop = () => {
    running.current?.abort();
    running.current = undefined;
  };
  return {
    entries,
    run,
    isRunning: run?.state === 'running',
    /** Whether the results of tool calls must be entered first. */
    awaitsResults: run?.state === 'whole' && callsOf(run.answer).length > 0,
    send: (text: string) => void request([...entries, { role: 'user', text }]),
    /** Replaces a message and drops all later ones. */
    change: (index: number, text: string) => {
      stop();
      void request([...entries.slice(0, index), { role: 'user', text }]);
    },
    answerCalls: (results: readonly ToolResult[]) => void request([...entries, { role: 'tool', results }]),
    /** Requests the last answer again. */
    retry: () => void request(last?.role === 'answer' ? entries.slice(0, -1) : entries),
    stop: () => running.current?.abort(),
    /** Starts over, empty or with the given messages. */
    begin: (messages: readonly ConversationEntry[] = []) => {
      stop();
      setEntries(messages);
    },
  };
}

/** The conversation as it is sent. An answer without any part is left out. */
export function messagesOf(entries: readonly ConversationEntry[]): readonly PlaygroundMessage[] {
  return entries.flatMap((entry): PlaygroundMessage[] => {
    if (entry.role !== 'answer') return [entry];
    const { parts } = entry.run.answer;
    return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
  });
}

/** Renders at most once per animation frame, however many events arrive. */
function paced(show: (run: Run) => void) {
  let latest: Run | undefined;
  let handle: number | undefined;
  return {
    show: (run: Run) => {
      latest = run;
      handle ??= requestAnimationFrame(() => {
        handle = undefined;
        if (latest) show(latest);
      });
    },
    cancel: () => {
      if (handle !== undefined) cancelAnimationFrame(handle);
    },
  };
}

/** The messages. They survive navigation, and, without the raw frames, a reload of the tab. */
function useEntries(name: string) {
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
function readEntries(stored: unknown): readonly ConversationEntry[] {
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
