import { leaseMs, lingerMs } from '../../src/platform/cluster/lease-book.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventSink } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';
import { promptTokensMax } from '../../src/serving/inference/tokens/prompt-bound.ts';
import { ProviderRefusal } from '../../src/serving/upstreams/answer/refusal.ts';
import type { Upstream, UpstreamCall } from '../../src/serving/upstreams/upstream.ts';
import type { AnswerTimeouts } from '../../src/serving/upstreams/answer/answer-deadlines.ts';
import { between } from '../crash/random.ts';
import type { Machine } from './machine.ts';
import type { SeenCall } from './seen-call.ts';
import { type OpenedAnswer, readyCall } from './sent-call.ts';
import { type Disobedience, answerEvents } from './words.ts';
import type { World } from './world.ts';

/** The behaviour of a provider for one call, decided when the call arrives. */
export interface Conduct {
  /** Refuses the call at once, with this status. */
  readonly refuses?: { readonly status: number; readonly retryAfterMs?: number };
  /** Reports the usage of the prompt before the first content. */
  readonly reportsUsageEarly: boolean;
  readonly firstMs: number;
  readonly pieceMs: number;
  readonly pieces: number;
  /** After this many pieces nothing more comes. */
  readonly hangsAfter?: number;
  /** After this many pieces the connection breaks. */
  readonly breaksAfter?: number;
  /** The usage that it reports at the end is this many times the true one. */
  readonly exaggerates?: number;
  /** Its content filter ends the answer before any content. */
  readonly filters?: boolean;
  /** How the model violates the constraint of the request. */
  readonly disobeys?: Disobedience | undefined;
  /** From this piece on, the rest of the answer comes at once, with the end. */
  readonly hurriesFrom?: number | undefined;
  /** The time between the last event and the end of the body; zero if undefined. */
  readonly bodyEndMs?: number | undefined;
}

/** How gateways use an upstream. */
interface UpstreamTerms {
  readonly credentials: number;
  /** The timeouts of its answers; none if undefined. */
  readonly timeouts?: AnswerTimeouts | undefined;
}

/** The silence of a process begins with its last report, which may be this much older than its freeze. */
const reportMs = 1500;

const farAway = 1e9;
const endless: AnswerTimeouts = { firstEvent: farAway, idle: farAway, total: farAway };

/** The providers of a world. They record all calls and check the number of concurrent calls. */
export class Providers {
  readonly calls: SeenCall[] = [];
  /** Calls whose answers the gateway has paused. */
  readonly paused = new Set<SeenCall>();
  readonly #world: World;
  readonly #conduct: (call: SeenCall) => Conduct;
  /** Running calls by upstream. If each gateway has its own slots, by gateway and upstream. */
  readonly #running = new Map<string, Map<SeenCall, Machine>>();
  readonly #limits: ReadonlyMap<string, number>;
  readonly #isShared: boolean;
  readonly #broken: (rule: string) => void;
  /** Called for every call that begins. */
  begins: (call: SeenCall) => void = () => {};

  constructor(
    world: World,
    limits: ReadonlyMap<string, number>,
    conduct: (call: SeenCall) => Conduct,
    broken: (rule: string) => void,
    isShared = false,
  ) {
    this.#isShared = isShared;
    this.#world = world;
    this.#limits = limits;
    this.#conduct = conduct;
    this.#broken = broken;
  }

  /** An upstream, as one gateway uses it. */
  upstream(name: string, { credentials, timeouts = endless }: UpstreamTerms, machine: Machine): Upstream {
    return {
      name,
      credentials,
      close: () => {},
      open: (call, signal) => this.#open(name, machine, call, signal),
      ready: (call) => {
        const open = (signal: AbortSignal) => this.#open(name, machine, call, signal);
        return readyCall({ world: this.#world, machine, upstream: name, timeouts, call, open });
      },
    };
  }

  #open(upstream: string, machine: Machine, call: UpstreamCall, signal: AbortSignal): Promise<ProvidedAnswer> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { requestId, promptTokens } = promptOf(call);
    const seen: SeenCall = {
      upstream,
      model: call.model,
      gateway: machine.name,
      credential: call.credential,
      requestId,
      atMs: this.#world.nowMs,
      promptTokens,
      repromptMessages: call.request.further?.length ?? 0,
      sentPieces: 0,
      reported: 'nothing',
      reportedTokens: 0,
      outcome: 'running',
      endedMs: undefined,
      bodyEndMs: 0,
      connection: 'none',
    };
    this.calls.push(seen);
    this.#enter(seen, machine);
    this.begins(seen);
    const conduct = this.#conduct(seen);
    seen.bodyEndMs = conduct.bodyEndMs ?? 0;
    return new Promise((resolve, reject) => {
      const events = answerEvents(call.request, conduct);
      const leave = (outcome: SeenCall['outcome']): void => this.#leave(seen, outcome);
      const { paused } = this;
      const { request } = call;
      const answer = new ProvidedAnswer({ world: this.#world, machine, seen, conduct, events, request, paused, leave });
      const abort = (): void => {
        answer.cancel();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#world.after(between(this.#world.random, 1, 20), () =>
        machine.deliver(() => {
          signal.removeEventListener('abort', abort);
          if (seen.outcome !== 'running') return;
          if (!conduct.refuses) {
            signal.addEventListener('abort', () => answer.breakOff(signal.reason), { once: true });
            return resolve(answer);
          }
          this.#leave(seen, 'refused');
          const { status, retryAfterMs } = conduct.refuses;
          reject(
            new GatewayError('upstream-failed', { cause: new ProviderRefusal(upstream, status, 'no', retryAfterMs) }),
          );
        }),
      );
    });
  }

  #enter(seen: SeenCall, machine: Machine): void {
    const running = this.#running.get(this.#slotsKeyOf(seen)) ?? new Map<SeenCall, Machine>();
    this.#running.set(this.#slotsKeyOf(seen), running.set(seen, machine));
    const size = [...running].filter(([call, of]) => !this.#hasLostSlots(call, of)).length;
    if (size > (this.#limits.get(seen.upstream) ?? 0))
      this.#broken(`${seen.upstream} had ${size} concurrent calls, more than its limit, when ${seen.gateway} made one`);
  }

  #leave(seen: SeenCall, outcome: SeenCall['outcome']): void {
    if (seen.outcome !== 'running') return;
    seen.outcome = outcome;
    seen.endedMs = this.#world.nowMs;
    this.#running.get(this.#slotsKeyOf(seen))?.delete(seen);
  }

  /** If a process is frozen for too long, its slots go to its peers, even while its calls run. */
  #hasLostSlots({ atMs }: SeenCall, { frozenMs: { from, until } }: Machine): boolean {
    return atMs <= from && Math.min(until, this.#world.nowMs) - from > leaseMs + lingerMs - reportMs;
  }

  /** The host of a dead process closes its connections, so its calls hold no slots. */
  died(gateway: string): void {
    for (const running of this.#running.values()) {
      for (const seen of running.keys()) if (seen.gateway === gateway) running.delete(seen);
    }
  }

  #slotsKeyOf({ gateway, upstream }: SeenCall): string {
    return this.#isShared ? upstream : `${gateway} ${upstream}`;
  }
}

/** The prompt of a request, for providers of this world: its id and its number of tokens. */
export function promptText(requestId: string, promptTokens: number): string {
  return `${requestId} ${promptTokens}`;
}

/** A retry has the same prompt as the first request, so the request id comes from the trace header. */
function promptOf({ request, trace }: UpstreamCall): { requestId: string; promptTokens: number } {
  const [part] = request.messages[0]?.content ?? [];
  const [, tokens = '0'] = part?.type === 'text' ? part.text.split(' ') : [];
  return { requestId: trace?.headers[traceHeader] ?? '', promptTokens: Number(tokens) };
}

/** The header with the request id, for providers of this world. */
export const traceHeader = 'x-request';

interface AnswerParts {
  readonly world: World;
  readonly machine: Machine;
  readonly seen: SeenCall;
  readonly conduct: Conduct;
  readonly events: readonly StreamEvent[];
  readonly request: ChatRequest;
  readonly paused: Set<SeenCall>;
  readonly leave: (outcome: SeenCall['outcome']) => void;
}

class ProvidedAnswer implements OpenedAnswer {
  readonly seen: SeenCall;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #conduct: Conduct;
  readonly #events: readonly StreamEvent[];
  readonly #request: ChatRequest;
  readonly #leave: (outcome: SeenCall['outcome']) => void;
  readonly #paused: Set<SeenCall>;
  #sink: EventSink | undefined;
  #isWaiting = false;

  constructor({ world, machine, seen, conduct, events, request, paused, leave }: AnswerParts) {
    this.#world = world;
    this.#machine = machine;
    this.seen = seen;
    this.#conduct = conduct;
    this.#events = events;
    this.#request = request;
    this.#leave = leave;
    this.#paused = paused;
  }

  start(sink: EventSink): void {
    this.#sink = sink;
    const { reportsUsageEarly, firstMs } = this.#conduct;
    if (reportsUsageEarly) {
      this.#later(firstMs / 2, () => {
        this.seen.reported = 'early';
        this.#send({ type: 'usage-so-far', usage: this.#usage(0) });
      });
    }
    this.#later(firstMs, () => this.#next());
  }

  pause(): void {
    this.#paused.add(this.seen);
  }

  resume(): void {
    this.#paused.delete(this.seen);
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#later(1, () => this.#next());
  }

  cancel(): void {
    this.#leave('aborted');
  }

  breakOff(error: unknown): void {
    if (this.seen.outcome !== 'running') return;
    this.#leave('aborted');
    this.#sink?.fail(error);
  }

  #next(): void {
    if (this.#paused.has(this.seen)) {
      this.#isWaiting = true;
      return;
    }
    const { hangsAfter, breaksAfter, hurriesFrom, pieceMs } = this.#conduct;
    const { sentPieces } = this.seen;
    const event = this.#events[sentPieces];
    if (hangsAfter !== undefined && sentPieces >= hangsAfter) return;
    if (breaksAfter !== undefined && sentPieces >= breaksAfter) {
      this.#leave('broken');
      return this.#sink?.fail(new GatewayError('upstream-failed', { cause: new Error('the connection broke') }));
    }
    if (!event || this.#conduct.filters) return this.#end([]);
    if (hurriesFrom !== undefined && sentPieces >= hurriesFrom) return this.#end(this.#events.slice(sentPieces));
    this.seen.sentPieces += 1;
    this.#send(event);
    this.#later(pieceMs, () => this.#next());
  }

  #end(last: readonly StreamEvent[]): void {
    this.#leave('complete');
    this.seen.sentPieces += last.length;
    const { exaggerates = 1 } = this.#conduct;
    const usage = this.#usage(this.seen.sentPieces * exaggerates, this.seen.promptTokens * exaggerates);
    this.seen.reported = 'all';
    this.seen.reportedTokens = chargedTokens(usage, this.#request);
    const finish = this.#conduct.filters
      ? ({ type: 'finish', choice: 0, reason: 'content-filter', raw: 'content_filter' } as const)
      : ({ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' } as const);
    this.#sink?.events([...last, finish, { type: 'usage', usage }]);
    this.#sink?.end();
  }

  #send(event: StreamEvent): void {
    this.#sink?.events([event]);
  }

  #usage(completionTokens: number, promptTokens = this.seen.promptTokens): Usage {
    return { ...unreportedUsage, promptTokens, completionTokens, source: 'upstream' };
  }

  #later(delayMs: number, work: () => void): void {
    this.#world.after(delayMs, () =>
      this.#machine.deliver(() => {
        if (this.seen.outcome === 'running') work();
      }),
    );
  }
}

/** The tokens that a request is charged for. The provider may report more than the request can use. */
function chargedTokens({ promptTokens, completionTokens }: Usage, request: ChatRequest): number {
  const { maxTokens = Number.POSITIVE_INFINITY } = request;
  return Math.min(promptTokens, promptTokensMax(request)) + Math.min(completionTokens, maxTokens);
}
