import type { Model, ModelRoute } from '../core/model.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Credential } from './credential.ts';
import type { Weighed } from './selection.ts';
import type { UpstreamQueue } from './upstream-queue.ts';

/** An upstream in use: how it is called, the queue before its places, and what is known of each of its credentials. */
export interface LiveUpstream {
  readonly adapter: Upstream;
  readonly queue: UpstreamQueue;
  readonly credentials: readonly Credential[];
}

/** One way to serve a model: a route, and a credential of its upstream. */
export interface Candidate {
  readonly route: ModelRoute;
  readonly upstream: LiveUpstream;
  readonly credential: Credential;
}

export function candidatesOf(
  model: Model,
  upstreamNamed: (name: string) => LiveUpstream | undefined,
): readonly Candidate[] {
  return model.routes.flatMap((route) => {
    const upstream = upstreamNamed(route.upstream);
    return upstream ? upstream.credentials.map((credential) => ({ route, upstream, credential })) : [];
  });
}

/** Those that can be asked this moment. */
export function ready(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((candidate) => isIn(candidate.credential) && pausedMs(candidate) === 0);
}

/**
 * Those a request should turn to, all of one priority: the healthy ones; those that only want a rest; and before a
 * request goes unserved for want of a healthy credential, the ones that are out, since the last one is never left out.
 */
export function best(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  const circles = [
    ready(candidates),
    candidates.filter(({ credential }) => isIn(credential)),
    candidates.filter(({ credential }) => credential.standing === 'ejected'),
    candidates,
  ];
  return soonest(foremost(circles.find((circle) => circle.length > 0) ?? []));
}

/** Whether the credential is among those that serve, if only to find out whether it can. */
export function isIn({ standing }: Credential): boolean {
  return standing === 'healthy' || standing === 'ramping' || standing === 'half-open';
}

/** How much longer the provider wants to be left alone. */
export function pausedMs({ credential, route }: Candidate): number {
  return credential.pausedMs(route.model);
}

/** What the choice between candidates goes by. */
export function weighed(candidates: readonly Candidate[]): readonly (Weighed & { readonly candidate: Candidate })[] {
  return candidates.map((candidate) => {
    const { route, upstream, credential } = candidate;
    const { running, waiting, limit } = upstream.queue;
    const siblings = candidates.filter((other) => other.route === route).length;
    return {
      candidate,
      name: `${route.upstream} ${credential.index} ${route.model}`,
      weight: (route.weight * credential.share) / siblings,
      load: (running + waiting) / limit / route.weight,
      hasRoom: running < limit && waiting === 0,
      running: credential.running,
      latencyMs: credential.latencyMs,
    };
  });
}

function foremost(candidates: readonly Candidate[]): readonly Candidate[] {
  const first = Math.min(...candidates.map(({ route }) => route.priority));
  return candidates.filter(({ route }) => route.priority === first);
}

function soonest(candidates: readonly Candidate[]): readonly Candidate[] {
  const first = Math.min(...candidates.map(pausedMs));
  return candidates.filter((candidate) => pausedMs(candidate) <= first);
}
