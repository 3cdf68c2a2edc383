import { upstreamSchema, upstreamSpec } from '../../src/config/upstream.ts';
import type { EventFlow } from '../../src/core/event-flow.ts';
import { openUpstream } from '../../src/upstreams/open-upstream.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import { chatRequest } from '../ask-upstream.ts';
import {
  type ExpectedCall,
  type FakeProvider,
  type FakeProviderOptions,
  fakeProvider,
  type ScriptedReply,
} from '../fake-provider.ts';
import { type HandClock, handClock } from '../hand-clock.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';

/** Of every upstream under test, on a clock that only the test moves. */
export const timeouts = { connect: 2000, first_event: 5000, idle: 7000, total: 60_000 } as const;

/** A provider of one kind and the upstream that leads to it, on a clock that only the test moves. */
export interface Scene {
  readonly provider: FakeProvider;
  readonly upstream: Upstream;
  readonly clock: HandClock;
  /** The request, which may still be to come. */
  readonly call: ExpectedCall;
  ask(signal?: AbortSignal): Promise<EventFlow>;
  /** Closes the upstream and waits until it has let go of every connection. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface SceneOptions extends FakeProviderOptions {
  /** The address the upstream is given instead of the provider's own. */
  readonly addressed?: (url: string) => string;
  /** Certificates that the operator vouches for. */
  readonly trusts?: string;
  /** Whether nobody listens there any more. */
  readonly isGone?: boolean;
}

/** More than any wait for the end of a body that is of no use any more. */
const lastWaitMs = 5000;

export async function scene(kind: ProviderKind, reply: ScriptedReply, options: SceneOptions = {}): Promise<Scene> {
  const { addressed = (url) => url, isGone = false, trusts, ...providerOptions } = options;
  const provider = await fakeProvider(providerOptions);
  const clock = handClock();
  const milliseconds = Object.entries(timeouts).map(([name, value]) => [name, `${value}ms`]);
  const entry = {
    name: 'acme',
    base_url: addressed(provider.url),
    ...kind.entry,
    timeouts: Object.fromEntries(milliseconds),
  };
  const spec = { ...upstreamSpec(upstreamSchema.parse(entry)), ...(trusts !== undefined && { ca: trusts }) };
  const upstream = openUpstream(spec, { clock, newId: () => 'id' });
  const isNamed = /^\/(chat|completions|messages|responses)/.test(kind.path);
  const key = isNamed ? kind.model : `POST /v1${kind.path}`;
  provider.respond(key, reply);
  if (isGone) await provider.close();
  const { model, request = chatRequest() } = kind;
  return {
    provider,
    upstream,
    clock,
    call: provider.call(key),
    ask: (signal = new AbortController().signal) =>
      upstream.open({ model, thinking: false, request, credential: 0 }, signal),
    async leave() {
      clock.pass(lastWaitMs);
      upstream.close();
      await provider.drained();
    },
    async close() {
      upstream.close();
      await provider.close();
    },
  };
}
