import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { noMarkupRequest } from 'chat-formats/markup/markup-request.ts';
import { chatStreamDecoder, decodeChatBody } from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { ChatSplice } from '../../src/serving/upstreams/splice/splice.ts';
import { SpliceMemory } from '../../src/serving/upstreams/splice/splice-memory.ts';
import { eventDataDecoder } from 'chat-formats/event-stream-decoder.ts';
import { adoptAnswer } from '../../src/serving/upstreams/answer/answer.ts';
import type { ResponseHandler } from '../../src/serving/upstreams/http1/provider-connection.ts';
import { TransportFault } from '../../src/serving/upstreams/http1/transport-fault.ts';
import type { SentRequest } from '../../src/serving/upstreams/http1/pool.ts';
import { ResponseHead } from '../../src/serving/upstreams/http1/response-head.ts';
import { ProviderRefusal } from '../../src/serving/upstreams/answer/refusal.ts';
import type { ReadyCall, UpstreamCall } from '../../src/serving/upstreams/upstream.ts';
import type { AnswerTimeouts } from '../../src/serving/upstreams/answer/answer-deadlines.ts';
import { chunk, finish, usage } from '../fakes/fake-replies.ts';
import type { Machine } from './machine.ts';
import type { SeenCall } from './seen-call.ts';
import type { World } from './world.ts';

/** A call of the fast path, and its world. */
export interface WireParts {
  readonly world: World;
  readonly machine: Machine;
  readonly upstream: string;
  readonly timeouts: AnswerTimeouts;
  readonly call: UpstreamCall;
  readonly open: (signal: AbortSignal) => Promise<OpenedAnswer>;
}

/** An answer that a provider has begun. */
export interface OpenedAnswer extends EventFlow {
  readonly seen: Pick<SeenCall, 'bodyEndMs' | 'connection'>;
}

/** A simulated call in the form of the fast path: the provider's events arrive as the bytes of a response. */
export function readyCall(parts: WireParts): ReadyCall {
  const { upstream, timeouts, machine, call } = parts;
  const decoding = { newId: () => 'call_1', markup: { ...noMarkupRequest, tools: call.request.tools } };
  const answers = {
    upstream,
    timeouts,
    clock: machine.clock,
    redact: (text: string) => text,
    streamDecoder: () => eventDataDecoder(chatStreamDecoder(decoding)),
    decodeBody: (text: string) => decodeChatBody(text, decoding),
  };
  return {
    timeouts,
    send: (handler) => new SentCall(parts, handler),
    splice: (encoding, maxTokens) => new ChatSplice({ memory: new SpliceMemory(), decoding, encoding, maxTokens }),
    adopt: (sent, { signal, sentMs }) => adoptAnswer(sent, { ...answers, sentMs }, signal),
    attributed: (error) => error,
  };
}

class SentCall implements SentRequest {
  readonly #parts: WireParts;
  readonly #handler: ResponseHandler;
  readonly #abort = new AbortController();
  #answer: OpenedAnswer | undefined;
  #isPaused = false;
  /** The part of the next frame that has already arrived. */
  #early = '';
  /** The end of the body has arrived while the response is paused. */
  #isEndHeld = false;

  constructor(parts: WireParts, handler: ResponseHandler) {
    this.#parts = parts;
    this.#handler = handler;
    handler.sent?.();
    parts.open(this.#abort.signal).then(
      (answer) => this.#accepted(answer),
      (error: unknown) => this.#refused(error),
    );
  }

  pause(): void {
    this.#isPaused = true;
    this.#answer?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#answer?.resume();
    if (this.#isEndHeld) this.#later(1);
  }

  destroy(): void {
    if (this.#answer?.seen.connection === 'open') this.#answer.seen.connection = 'closed';
    this.#abort.abort();
    this.#answer?.cancel();
  }

  get #isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  #accepted(answer: OpenedAnswer): void {
    this.#answer = answer;
    if (this.#isClosed) return answer.cancel();
    answer.seen.connection = 'open';
    if (this.#isPaused) answer.pause();
    this.#handler.head(new ResponseHead(200, false, ['content-type', 'text/event-stream']));
    answer.start({
      events: (batch) => {
        if (!this.#isClosed) this.#handler.data(Buffer.from(this.#read(batch)));
      },
      end: () => {
        const { bodyEndMs } = answer.seen;
        if (bodyEndMs === 0) this.#bodyEnded(answer);
        else if (bodyEndMs < Number.POSITIVE_INFINITY) this.#later(bodyEndMs);
      },
      fail: (cause) => {
        if (this.#isClosed) return;
        answer.seen.connection = 'free';
        this.#handler.fail(new TransportFault('closed', 'the connection broke', { cause }));
      },
    });
  }

  /** Early usage arrives together with the first bytes of the next frame. */
  #read(batch: readonly StreamEvent[]): string {
    const rest = framesOf(batch).slice(this.#early.length);
    this.#early = batch.every(({ type }) => type === 'usage-so-far') ? frameStart : '';
    return rest + this.#early;
  }

  #later(delayMs: number): void {
    const { world, machine } = this.#parts;
    world.after(delayMs, () =>
      machine.deliver(() => {
        if (this.#answer) this.#bodyEnded(this.#answer);
      }),
    );
  }

  #bodyEnded({ seen }: OpenedAnswer): void {
    if (seen.connection !== 'open') return;
    this.#isEndHeld = this.#isPaused;
    if (this.#isPaused) return;
    seen.connection = 'free';
    this.#handler.end();
  }

  #refused(error: unknown): void {
    if (this.#isClosed) return;
    const cause = error instanceof GatewayError ? error.cause : undefined;
    const { status, retryAfterMs } = cause instanceof ProviderRefusal ? cause : defaultRefusal;
    const wait = retryAfterMs === undefined ? [] : ['retry-after', String(retryAfterMs / 1000)];
    this.#handler.head(new ResponseHead(status, false, wait));
    if (!this.#isClosed) this.#handler.end();
  }
}

const defaultRefusal = { status: 500, retryAfterMs: undefined };

const frameStart = 'data: ';

/** The bytes of one read. The end mark comes with the usage. */
function framesOf(batch: readonly StreamEvent[]): string {
  const data = batch.map((event) => JSON.stringify(chunkOf(event)));
  const isLast = batch.some(({ type }) => type === 'usage');
  return [...data, ...(isLast ? ['[DONE]'] : [])].map((each) => `${frameStart}${each}\n\n`).join('');
}

function chunkOf(event: StreamEvent): object {
  switch (event.type) {
    case 'text-delta':
      return chunk({ content: event.text });
    case 'tool-call-start':
      return toolCall({ id: event.id, type: 'function', function: { name: event.name, arguments: '' } });
    case 'tool-call-delta':
      return toolCall({ function: { arguments: event.arguments } });
    case 'finish':
      return finish(event.raw);
    case 'usage':
      return usage(event.usage.promptTokens, event.usage.completionTokens);
    default:
      // A chunk without content, before the first content.
      return chunk({ role: 'assistant' });
  }
}

function toolCall(call: object): object {
  return chunk({ tool_calls: [{ index: 0, ...call }] });
}
