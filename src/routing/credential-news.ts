import type { News } from '../cluster/arbiter.ts';
import type { Health } from './health.ts';

/** What one process has learned of a credential, and all that share it should know. */
export type CredentialNews =
  | { readonly kind: 'out'; readonly why: NonNullable<Health['out']>['why']; readonly words: string | undefined }
  | { readonly kind: 'back' }
  | { readonly kind: 'pause'; readonly model: string };

/** Which credential it is about, and for how long it is so. */
export interface ToldNews {
  readonly upstream: string;
  readonly credential: number;
  readonly news: CredentialNews;
  readonly forMs: number;
}

/** That a credential is well again is worth knowing for as long as others may have been told that it is not. */
export const backForMs = 300_000;

/** What is out and what is back are words on one subject; each model's pause is one of its own. */
export function encodeNews({ forMs, ...told }: ToldNews): News {
  const about = told.news.kind === 'pause' ? `pause of ${told.news.model}` : 'health';
  return { subject: `${told.upstream} ${told.credential} ${about}`, value: JSON.stringify(told), forMs };
}

/** It comes from another version perhaps: what is not understood is nothing. */
export function decodeNews({ value, forMs }: News): ToldNews | undefined {
  try {
    const told = JSON.parse(value) as Partial<ToldNews>;
    if (typeof told.upstream !== 'string' || typeof told.credential !== 'number' || !told.news) return undefined;
    return { upstream: told.upstream, credential: told.credential, news: told.news, forMs };
  } catch {
    return undefined;
  }
}
