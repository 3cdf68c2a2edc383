import { useEffect, useRef } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useRefreshedStatus } from '../../api/own-account.ts';
import { useSession } from '../../api/session.ts';
import { callsOf } from './answer.ts';
import type { ConversationEntry } from './entry.ts';
import { useEntries } from './kept-entries.ts';
import { newRun, type Run, runRequest } from './run.ts';
import type { Settings } from './settings.ts';
import { surfaces } from './surfaces.ts';
import type { ToolResult, PlaygroundMessage } from './turn.ts';

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
