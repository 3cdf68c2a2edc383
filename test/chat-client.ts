import { type Agent, type ClientRequest, request as httpRequest } from 'node:http';

/** The outcome of one chat completion. */
export interface ChatOutcome {
  /** `undefined` if the connection broke before the status. */
  readonly status: number | undefined;
  /** The request's id, or empty without a status. */
  readonly id: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body ended properly, with the end of the answer or an error. */
  readonly isComplete: boolean;
  /** `[DONE]` arrived. */
  readonly isDone: boolean;
  /** The error, from the body or from the last frame. */
  readonly error: { readonly code: string; readonly type: string; readonly message: string } | undefined;
}

/** A chat completion on its own connection, so that nothing of it outlives the test. */
export interface RunningChat {
  /** Resolves when the first bytes of the body have arrived, or the request is over. */
  readonly started: Promise<void>;
  /** Resolves when this text has arrived. Rejects when the answer ends without it. */
  waitForText(text: string): Promise<void>;
  readonly over: Promise<ChatOutcome>;
  leave(): void;
}

export interface ChatOptions {
  readonly port: number;
  readonly key: string;
  readonly model?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The agent of the connection, if the test needs one. */
  readonly agent?: Agent;
}

export function chat({ port, key, model = 'other', body = {}, headers: more, agent }: ChatOptions): RunningChat {
  const started = Promise.withResolvers<void>();
  const over = Promise.withResolvers<ChatOutcome>();
  const request: ClientRequest = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/v1/chat/completions',
    method: 'POST',
    agent: agent ?? false,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...more },
  });
  const listeners = new Set<() => void>();
  let text = '';
  let status: number | undefined;
  let headers: ChatOutcome['headers'] = {};
  let isComplete = false;
  let isOver = false;
  request.on('response', (response) => {
    status = response.statusCode;
    headers = response.headers;
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      started.resolve();
      for (const listener of listeners) listener();
    });
    response.on('end', () => void (isComplete = response.complete));
    // `isComplete` reports a truncated body.
    response.on('error', () => undefined);
  });
  request.on('error', () => undefined);
  request.on('close', () => {
    started.resolve();
    isOver = true;
    for (const listener of listeners) listener();
    const id = String(headers['x-gateway-request-id'] ?? '');
    over.resolve({
      status,
      id,
      headers,
      text,
      isComplete,
      isDone: text.endsWith('data: [DONE]\n\n'),
      error: errorIn(text),
    });
  });
  request.end(JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }], ...body }));
  const waitForText = (expected: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const listen = (): void => {
        if (text.includes(expected)) resolve();
        else if (isOver) reject(new Error(`It ended without ${expected}: ${text}`));
      };
      listeners.add(listen);
      listen();
    });
  return { started: started.promise, waitForText, over: over.promise, leave: () => void request.destroy() };
}

function errorIn(text: string): ChatOutcome['error'] {
  const last = text.startsWith('{')
    ? text
    : text
        .trimEnd()
        .split('\n\n')
        .at(-1)
        ?.replace(/^data: /, '');
  return last?.startsWith('{"error"') ? (JSON.parse(last) as { error: ChatOutcome['error'] }).error : undefined;
}
