import { vi } from 'vitest';
import { type UpstreamSpec, upstreamSchema, upstreamSpec } from '../../src/platform/config/schema/upstream.ts';
import { priceOf } from '../../src/platform/config/schema/model-price.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model, ModelRoute } from 'chat-formats/chat/model.ts';
import type { Attempt } from '../../src/serving/routing/calls/attempt.ts';
import type { HealthChange } from '../../src/serving/routing/health/credential.ts';
import { Upstreams } from '../../src/serving/routing/upstreams.ts';
import type { OpenedStream } from '../../src/serving/routing/opened-stream.ts';
import { openFirst } from '../../src/serving/routing/router.ts';
import { ProviderRefusal } from '../../src/serving/upstreams/answer/refusal.ts';
import type { UpstreamCall } from '../../src/serving/upstreams/upstream.ts';
import { chatRequest } from '../call-upstream.ts';
import { CollectingSink } from './flows.ts';

/** Handles a call of an upstream: returns its answer, or throws. */
export type Script = (call: UpstreamCall, index: number) => EventFlow | Promise<EventFlow>;

/** A router with scripted upstreams. It records every call and every alarm. */
export interface ScriptedUpstreams {
  readonly inUse: Upstreams;
  /** Replaces the upstreams in use. */
  use(names: readonly string[]): void;
  readonly calls: { readonly upstream: string; readonly call: UpstreamCall }[];
  readonly attempts: Attempt[];
  readonly changes: HealthChange[];
  open(
    model: Model,
    more?: Partial<Parameters<typeof openFirst>[2]>,
    signal?: AbortSignal,
    pay?: () => Promise<void>,
  ): Promise<OpenedStream>;
  /** Reads an answer to its end, and returns its text with the error, if any. */
  call(model: Model, more?: Partial<Parameters<typeof openFirst>[2]>): Promise<string>;
  /** Counters that must be zero again when no request runs. */
  leftovers(): Record<string, number>;
}

export interface ScriptedUpstream {
  readonly script: Script;
  readonly credentials?: number;
  readonly slots?: number;
}

export function scriptedUpstreams(
  upstreams: Readonly<Record<string, ScriptedUpstream>>,
  options: { readonly random?: () => number; readonly waitMaxMs?: number } = {},
): ScriptedUpstreams {
  const calls: ScriptedUpstreams['calls'] = [];
  const attempts: Attempt[] = [];
  const changes: HealthChange[] = [];
  const alarms: unknown[] = [];
  const inUse = new Upstreams({
    clock: systemClock,
    bounds: () => ({ requests: 1000, bytes: 1e9 }),
    healthChanged: (change) => void changes.push(change),
    alarm: (error) => void alarms.push(error),
    open: ({ name }) => ({
      name,
      credentials: upstreams[name]?.credentials ?? 1,
      close: () => {},
      open: async (call, signal) => {
        signal.throwIfAborted();
        calls.push({ upstream: name, call });
        return upstreams[name]!.script(call, calls.filter(({ upstream }) => upstream === name).length - 1);
      },
    }),
  });
  const use = (names: readonly string[]): void =>
    inUse.prepare(names.map((name) => spec(name, upstreams[name]?.slots ?? 10))).use();
  use(Object.keys(upstreams));
  const parts = {
    clock: systemClock,
    conversationName: (conversation: string) => conversation,
    random: options.random ?? (() => 0),
    waitMaxMs: () => options.waitMaxMs ?? 60_000,
    budget: inUse.budget,
    queueLimit: inUse.queueLimit,
    upstream: inUse.named,
  };
  const demand = { accountId: 'a', keyId: 'k', weight: 1, cost: 1, bytes: 1 };
  const open: ScriptedUpstreams['open'] = (model, more, signal = new AbortController().signal, pay) =>
    openFirst(parts, model, chatRequest(more), {
      signal,
      deadlineMs: performance.now() + (options.waitMaxMs ?? 60_000),
      demand,
      attempted: (attempt) => void attempts.push(attempt),
      calls: { sent: () => {}, receivedEarly: () => {}, undone: () => {} },
      onQueueTimeout: () => {},
      waits: () => {},
      pay,
      countTokens: async (text) => ({
        tokens: [text.split(' ').filter((word) => word !== '').length],
        source: 'counted',
      }),
    });
  return {
    inUse,
    use,
    calls,
    attempts,
    changes,
    open,
    call: async (model, more) => textOf(await open(model, more)),
    leftovers: () => {
      const timers = vi.isFakeTimers() ? vi.getTimerCount() : 0;
      return { running: inUse.running, ...inUse.taken(), timers, alarms: alarms.length };
    },
  };
}

export const nothingLeft = { running: 0, waiting: 0, calls: 0, retries: 0, timers: 0, alarms: 0 };

export function modelOf(
  routes: readonly (Partial<ModelRoute> & { readonly upstream: string })[],
  more: Partial<Model> = {},
): Model {
  return {
    id: 'm',
    aliases: [],
    ownedBy: 'o',
    surfaces: ['openai'],
    contextWindow: undefined,
    maxOutputTokens: undefined,
    thinking: false,
    continue: 'never',
    routes: routes.map((route) => ({ model: 'm', priority: 0, weight: 1, ...route })),
    price: priceOf('free'),
    ...more,
  };
}

/** The error of a refused call, as an adapter throws it. */
export function refused(status: number, retryAfterMs?: number): GatewayError {
  return new GatewayError('upstream-failed', { cause: new ProviderRefusal('u', status, 'no', retryAfterMs) });
}

async function textOf({ flow }: OpenedStream): Promise<string> {
  const sink = new CollectingSink();
  const over = new Promise<void>((resolve) => {
    flow.start({
      events: (batch) => sink.events(batch),
      end: () => (sink.end(), resolve()),
      fail: (error) => (sink.fail(error), resolve()),
    });
  });
  await over;
  const text = sink.batches.flat().map((event) => (event.type === 'text-delta' ? event.text : ''));
  const [ending] = sink.endings;
  return text.join('') + (ending === 'end' ? '' : ` ✗ ${String(ending?.error)}`);
}

function spec(name: string, slots: number): UpstreamSpec {
  return upstreamSpec(upstreamSchema.parse({ name, kind: 'simulated', max_concurrency: slots }));
}
