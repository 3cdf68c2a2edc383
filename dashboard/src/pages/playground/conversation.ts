import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useAccount } from '../../api/account.tsx';
import { useSession } from '../../api/session.ts';
import { justSent, type Run, runRequest } from './run.ts';
import type { Settings } from './settings.ts';
import { surfaces } from './surfaces.ts';
import type { ToolResult, Turn } from './turn.ts';

const paths = {
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: (prefix: string) => `${prefix}/v1/messages`,
} as const;

export type Conversation = ReturnType<typeof useConversation>;

/** What was said, in order: turns of ours, and runs that were the answers. */
export type Entry = Exclude<Turn, { role: 'assistant' }> | { readonly role: 'answer'; readonly run: Run };

/** A conversation with a model. One request runs at a time; leaving the page stops it, and keeps what was said. */
export function useConversation(settings: Settings, secret: string | undefined) {
  const { messages_prefix: prefix } = useSession();
  const { id: account } = useAccount();
  const client = useQueryClient();
  const [entries, setEntries] = useState(() => kept(client.getQueryData<readonly Entry[]>(['playground', account])));
  const [draft, setDraft] = useState('');
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  useEffect(() => {
    client.setQueryDefaults(['playground'], { gcTime: Number.POSITIVE_INFINITY });
    client.setQueryData(['playground', account], entries);
  }, [client, account, entries]);
  const last = entries.at(-1);
  const run = last?.role === 'answer' ? last.run : undefined;

  async function ask(before: readonly Entry[]): Promise<void> {
    if (secret === undefined || running.current) return;
    const controller = new AbortController();
    running.current = controller;
    const turns = turnsOf(before);
    const show = (shown: Run) => {
      if (running.current === controller) setEntries([...before, { role: 'answer', run: shown }]);
    };
    show(justSent);
    const pace = paced(show);
    const asked = {
      surface: settings.surface,
      path: paths[settings.surface](prefix),
      secret,
      body: surfaces[settings.surface].body(settings, turns),
      signal: controller.signal,
    };
    const ended = await runRequest(asked, pace.show);
    pace.cancel();
    show(ended);
    if (running.current === controller) running.current = undefined;
  }

  return {
    entries,
    run,
    /** What is being written. */
    draft,
    setDraft,
    isRunning: run?.state === 'running',
    send: () => {
      setDraft('');
      void ask([...entries, { role: 'user', text: draft.trim() }]);
    },
    answerCalls: (results: readonly ToolResult[]) => void ask([...entries, { role: 'tool', results }]),
    /** Asks again for the last answer. */
    retry: () => void ask(last?.role === 'answer' ? entries.slice(0, -1) : entries),
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      running.current = undefined;
      setEntries([]);
    },
  };
}

/** What was said before one went to another page, where an answer that was under way has stopped. */
function kept(entries: readonly Entry[] = []): readonly Entry[] {
  return entries.map((entry) =>
    entry.role === 'answer' && entry.run.state === 'running'
      ? { ...entry, run: { ...entry.run, state: 'stopped' as const } }
      : entry,
  );
}

/** The conversation as it is sent. An answer of which nothing came says nothing. */
export function turnsOf(entries: readonly Entry[]): readonly Turn[] {
  return entries.flatMap((entry): Turn[] => {
    if (entry.role !== 'answer') return [entry];
    const { parts } = entry.run.answer;
    return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
  });
}

/** Draws at most once a frame of the screen, however many pieces come. */
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
