import type { SharedState } from '../../../platform/cluster/arbiter.ts';
import type { LearnedLimit } from '../queue/adaptive-limit.ts';
import type { Health } from './health.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** A fact about a credential that one process has learned and broadcasts to all processes that share it. */
export type SharedCredentialState =
  | { readonly kind: 'out'; readonly why: NonNullable<Health['out']>['why']; readonly words: string | undefined }
  | { readonly kind: 'back' }
  | { readonly kind: 'pause'; readonly model: string };

export interface AnnouncedState {
  readonly upstream: string;
  readonly credential: number;
  readonly state: SharedCredentialState;
  readonly forMs: number;
}

/** How long a return is broadcast: as long as other processes may still have the credential as out. */
export const backForMs = 300_000;

/** `out` and `back` share one subject; each model's pause has its own. */
export function encodeSharedState({ forMs, ...announced }: AnnouncedState): SharedState {
  const about = announced.state.kind === 'pause' ? `pause of ${announced.state.model}` : 'health';
  return { subject: `${announced.upstream} ${announced.credential} ${about}`, value: JSON.stringify(announced), forMs };
}

/** The limit of a credential for one model, as one process has learned it for all. */
export interface AnnouncedLimit {
  readonly upstream: string;
  readonly index: number;
  readonly model: string;
  readonly learned: LearnedLimit;
}

/** How long a new process still receives the limit. */
const limitForMs = 600_000;

/** Has none of the fields of `AnnouncedState`, so that versions without this kind do not misread it. */
export function encodeLimit({ upstream, index, model, learned: { level, ceiling } }: AnnouncedLimit): SharedState {
  const limited = { index, model, level: level ?? null, ceiling: Number.isFinite(ceiling) ? ceiling : null };
  const value = JSON.stringify({ upstream, limited });
  return { subject: `${upstream} ${index} limit of ${model}`, value, forMs: limitForMs };
}

export function decodeLimit({ value }: SharedState): AnnouncedLimit | undefined {
  const { upstream, limited } = fieldsOf(value);
  if (typeof upstream !== 'string' || typeof limited !== 'object' || limited === null) return undefined;
  const { index, model, level, ceiling } = limited as Record<string, unknown>;
  if (typeof index !== 'number' || typeof model !== 'string') return undefined;
  const learned = {
    level: typeof level === 'number' ? level : undefined,
    ceiling: typeof ceiling === 'number' ? ceiling : Number.POSITIVE_INFINITY,
  };
  return { upstream, index, model, learned };
}

/** Returns `undefined` for a value that it cannot read: it may come from another version. */
export function decodeSharedState({ value, forMs }: SharedState): AnnouncedState | undefined {
  const { upstream, credential, state } = fieldsOf(value) as Partial<AnnouncedState>;
  if (typeof upstream !== 'string' || typeof credential !== 'number' || !state) return undefined;
  return { upstream, credential, state, forMs };
}

function fieldsOf(value: string): Readonly<Record<string, unknown>> {
  try {
    return (ownJson(value) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
