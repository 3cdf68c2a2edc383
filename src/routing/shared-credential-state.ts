import type { SharedState } from '../cluster/arbiter.ts';
import type { LearnedLimit } from './adaptive-limit.ts';
import type { Health } from './health.ts';

/** What one process has learned of a credential, and all that share it should know. */
export type SharedCredentialState =
  | { readonly kind: 'out'; readonly why: NonNullable<Health['out']>['why']; readonly words: string | undefined }
  | { readonly kind: 'back' }
  | { readonly kind: 'pause'; readonly model: string };

/** Which credential it is about, and for how long it is so. */
export interface AnnouncedState {
  readonly upstream: string;
  readonly credential: number;
  readonly news: SharedCredentialState;
  readonly forMs: number;
}

/** That a credential is well again is worth knowing for as long as others may have been told that it is not. */
export const backForMs = 300_000;

/** What is out and what is back are words on one subject; each model's pause is one of its own. */
export function encodeSharedState({ forMs, ...told }: AnnouncedState): SharedState {
  const about = told.news.kind === 'pause' ? `pause of ${told.news.model}` : 'health';
  return { subject: `${told.upstream} ${told.credential} ${about}`, value: JSON.stringify(told), forMs };
}

/** How many calls of one model a credential may have at once, as one process has found out for all. */
export interface ToldLimit {
  readonly upstream: string;
  readonly index: number;
  readonly model: string;
  readonly learned: LearnedLimit;
}

/** For so long a process that is new hears of it. */
const limitForMs = 600_000;

/** Versions that do not know of it must not take it for news of another kind: it has none of their fields. */
export function encodeLimit({ upstream, index, model, learned: { level, ceiling } }: ToldLimit): SharedState {
  const limited = { index, model, level: level ?? null, ceiling: Number.isFinite(ceiling) ? ceiling : null };
  const value = JSON.stringify({ upstream, limited });
  return { subject: `${upstream} ${index} limit of ${model}`, value, forMs: limitForMs };
}

export function decodeLimit({ value }: SharedState): ToldLimit | undefined {
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

function fieldsOf(value: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(value) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** It comes from another version perhaps: what is not understood is nothing. */
export function decodeSharedState({ value, forMs }: SharedState): AnnouncedState | undefined {
  try {
    const told = JSON.parse(value) as Partial<AnnouncedState>;
    if (typeof told.upstream !== 'string' || typeof told.credential !== 'number' || !told.news) return undefined;
    return { upstream: told.upstream, credential: told.credential, news: told.news, forMs };
  } catch {
    return undefined;
  }
}
