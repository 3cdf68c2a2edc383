import { upstreamSchema, upstreamSpec } from '../../src/platform/config/schema/upstream.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { openUpstream } from '../../src/serving/upstreams/open-upstream.ts';
import type { Upstream } from '../../src/serving/upstreams/upstream.ts';
import { chatRequest } from '../call-upstream.ts';
import {
  type ExpectedCall,
  type FakeProvider,
  type FakeProviderOptions,
  fakeProvider,
  type ScriptedReply,
} from '../fakes/fake-provider.ts';
import { type ManualClock, manualClock } from '../clocks/manual-clock.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';

/** The timeouts of every upstream under test. Only the test advances their clock. */
export const timeouts = { connect: 2000, first_event: 5000, idle: 7000, total: 60_000 } as const;

/** A provider of one kind and its upstream, with a clock that only the test advances. */
export interface Scene {
  readonly provider: FakeProvider;
  readonly upstream: Upstream;
  readonly clock: ManualClock;
  /** The request, which may not have arrived yet. */
  readonly call: ExpectedCall;
  open(signal?: AbortSignal): Promise<EventFlow>;
  /** Closes the upstream and waits until all connections are closed. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface SceneOptions extends FakeProviderOptions {
  /** Changes the URL that the upstream uses for the provider. */
  readonly changeUrl?: (url: string) => string;
  /** Certificates that the operator trusts. */
  readonly trusts?: string;
  /** Whether the provider is closed before the request. */
  readonly isGone?: boolean;
}

/** Longer than any wait for the end of a body after the answer. */
const lastWaitMs = 5000;

export async function scene(kind: ProviderKind, reply: ScriptedReply, options: SceneOptions = {}): Promise<Scene> {
  const { changeUrl = (url) => url, isGone = false, trusts, ...providerOptions } = options;
  const provider = await fakeProvider(providerOptions);
  const clock = manualClock();
  const milliseconds = Object.entries(timeouts).map(([name, value]) => [name, `${value}ms`]);
  const entry = {
    name: 'acme',
    base_url: changeUrl(provider.url),
    ...kind.entry,
    timeouts: Object.fromEntries(milliseconds),
  };
  const spec = { ...upstreamSpec(upstreamSchema.parse(entry)), ...(trusts !== undefined && { ca: trusts }) };
  const upstream = openUpstream(spec, { clock, newId: () => 'id' });
  const isNamed = /\/(chat\/completions|completions|messages|responses)$/.test(kind.path);
  const key = isNamed ? kind.model : `POST /v1${kind.path}`;
  provider.respond(key, reply);
  if (isGone) await provider.close();
  const { model, request = chatRequest() } = kind;
  return {
    provider,
    upstream,
    clock,
    call: provider.call(key),
    open: (signal = new AbortController().signal) =>
      upstream.open({ model, thinking: false, request, credential: 0 }, signal),
    async leave() {
      clock.advance(lastWaitMs);
      upstream.close();
      await provider.drained();
    },
    async close() {
      upstream.close();
      await provider.close();
    },
  };
}
