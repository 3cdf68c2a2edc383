import { ApiError } from '../../api/api-error.ts';
import { type AnswerError, emptyAnswer, type PlaygroundAnswer, type PlaygroundMessage } from './answer.ts';
import type { Surface } from './settings.ts';
import { type Frame, streamReader } from './stream-reader.ts';

/** One request and its answer so far. Times are milliseconds since it was sent. */
export interface Run {
  readonly answer: PlaygroundAnswer;
  readonly frames: readonly Frame[];
  /** `stopped`: by the user. `left`: the page was left or reloaded meanwhile. */
  readonly state: 'running' | 'whole' | 'cut' | 'stopped' | 'left' | 'failed';
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly firstTokenMs?: number | undefined;
  readonly durationMs?: number;
  readonly error?: AnswerError | undefined;
  /** The key was rejected because its account is suspended. */
  readonly isSuspended?: boolean;
}

export const newRun: Run = { answer: emptyAnswer, frames: [], state: 'running' };

export interface RunRequest {
  readonly surface: Surface;
  readonly path: string;
  readonly secret: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** Sends a request to the public API and reports its answer as it grows. Never throws. */
export async function runRequest(request: RunRequest, onChange: (run: Run) => void): Promise<Run> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const reader = streamReader(request.surface);
  let run = newRun;
  const change = (more: Partial<Run>): Run => {
    const { answer, frames } = reader;
    const firstTokenMs = run.firstTokenMs ?? (answer.parts.length > 0 ? elapsed() : undefined);
    run = { ...run, answer, frames, firstTokenMs, ...more };
    onChange(run);
    return run;
  };
  try {
    const response = await send(request);
    change({ status: response.status, requestId: response.headers.get('x-gateway-request-id') ?? undefined });
    if (!response.ok || !response.body) return change({ ...(await refusal(response)), durationMs: elapsed() });
    const body = response.body.getReader();
    for (let read = await body.read(); !read.done; read = await body.read()) {
      reader.push(read.value, elapsed());
      change({});
    }
    reader.end(elapsed());
    const { error, isComplete } = reader.answer;
    return change({ state: error ? 'failed' : isComplete ? 'whole' : 'cut', error, durationMs: elapsed() });
  } catch (cause) {
    reader.end(elapsed());
    if (request.signal.aborted) return change({ state: 'stopped', durationMs: elapsed() });
    const { code, message } = ApiError.unreachable(cause);
    return change({ state: 'failed', error: { code, message }, durationMs: elapsed() });
  }
}

function send({ surface, path, secret, body, signal }: RunRequest): Promise<Response> {
  const key: Record<string, string> =
    surface === 'messages' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
  return fetch(path, {
    method: 'POST',
    // Sent without the session cookie: a request that works here must also work in a program.
    credentials: 'omit',
    headers: { 'content-type': 'application/json', ...key },
    body: JSON.stringify(body),
    signal,
  });
}

async function refusal(response: Response): Promise<Partial<Run>> {
  const text = await response.text();
  const { code, message } = ApiError.of(response, text, 'key');
  return { state: 'failed', error: { code, message }, frames: [{ text, atMs: 0 }] };
}

/** The conversation in order: messages of the user, and runs with the answers. */
export type ConversationEntry =
  | Exclude<PlaygroundMessage, { role: 'assistant' }>
  | { readonly role: 'answer'; readonly run: Run };
