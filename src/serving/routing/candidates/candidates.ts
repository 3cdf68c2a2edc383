import type { Model, ModelRoute } from 'chat-formats/chat/model.ts';
import type { Upstream } from '../../upstreams/upstream.ts';
import type { Credential } from '../health/credential.ts';
import type { SubQueue } from '../fair-queue/sub-queue.ts';
import type { WeightedCandidate } from './selection.ts';
import type { UpstreamQueue } from '../queue/upstream-queue.ts';

/** An upstream in use: its adapter, the queue in front of its slots, and its credentials. */
export interface LiveUpstream {
  /** Distinguishes it from a replaced upstream of the same name. */
  readonly generation: number;
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
  model: Pick<Model, 'routes'>,
  upstreamNamed: (name: string) => LiveUpstream | undefined,
): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const route of model.routes) {
    const upstream = upstreamNamed(route.upstream);
    for (const credential of upstream?.credentials ?? []) {
      if (upstream && (route.credential ?? credential.index) === credential.index)
        candidates.push({ route, upstream, credential });
    }
  }
  return candidates;
}

/** Candidates that can be called now, if there is a slot. */
export function ready(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ credential, route }) => isInUse(credential) && credential.cooldownMs(route.model) === 0);
}

/** The healthy ones of one priority; else those in a cooldown; else those that are out: one is always left. */
export function best(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  const readyNow = ready(candidates);
  const worthTrying = readyNow.length > 0 ? readyNow : usable(candidates);
  const first = foremostPriority(worthTrying);
  return worthTrying.filter(({ route }) => route.priority === first);
}

/** The best candidates, and better ones in a cooldown, perhaps of this request alone; the first free one counts. */
export function worthWaitingFor(
  candidates: readonly Candidate[],
  isCoolingDown: (candidate: Candidate) => boolean,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates;
  const inUse = usable(candidates);
  const readyNow = ready(inUse).filter((candidate) => !isCoolingDown(candidate));
  if (readyNow.length === 0) return inUse;
  const first = foremostPriority(readyNow);
  return inUse.filter(({ route }) => route.priority <= first);
}

/** Candidates in use; if there are none, ejected ones; if there are none either, those whose credential was refused. */
export function usable(candidates: readonly Candidate[]): readonly Candidate[] {
  const groups = [
    candidates.filter(({ credential }) => isInUse(credential)),
    candidates.filter(({ credential }) => credential.healthStatus === 'ejected'),
  ];
  return groups.find((group) => group.length > 0) ?? candidates;
}

/** Whether the credential serves requests, if only one as a probe. */
export function isInUse({ healthStatus }: Credential): boolean {
  return healthStatus === 'healthy' || healthStatus === 'ramping' || healthStatus === 'half-open';
}

/** Whether the credential may get another call for this model. */
export function isOpen({ credential, route }: Candidate): boolean {
  return credential.isOpen(route.model);
}

/** Requests that wait for any of these, at one upstream. `now` returns them as they are after a replacement. */
export function subQueueFor(candidates: readonly Candidate[], now: () => readonly Candidate[]): SubQueue {
  return {
    name: candidates
      .map(({ upstream, credential, route }) => `${upstream.generation} ${credential.index} ${route.model}`)
      .join('\n'),
    isOpen: () => now().some(isOpen),
    closedMs: () => {
      const spans = now()
        .map(({ credential, route }) => credential.closedMs(route.model))
        .filter((ms) => ms > 0);
      return spans.length === 0 ? 0 : Math.min(...spans);
    },
  };
}

/** The inputs of the selection between candidates. */
export function withWeights(
  candidates: readonly Candidate[],
): readonly (WeightedCandidate & { readonly candidate: Candidate })[] {
  return candidates.map((candidate) => {
    const { route, upstream, credential } = candidate;
    const { running, waiting, limit } = upstream.queue;
    const siblings = candidates.filter((other) => other.route === route).length;
    return {
      candidate,
      name: `${route.upstream} ${credential.index} ${route.model}`,
      weight: (route.weight * credential.share) / siblings,
      load: (running + waiting) / limit / route.weight,
      hasRoom: running < limit && isOpen(candidate),
      running: credential.running,
      latencyMs: credential.latencyMs,
    };
  });
}

function foremostPriority(candidates: readonly Candidate[]): number {
  return Math.min(...candidates.map(({ route }) => route.priority));
}
