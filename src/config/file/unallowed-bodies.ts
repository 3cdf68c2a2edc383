import type { ConfigProblem } from './problem.ts';
import { entries, entriesOf, isRecord } from './sections.ts';
import { broken } from '../../core/reasons/reason.ts';

/** Finds keys with `store_bodies` in a file without `stored_bodies`. */
export function unallowedBodies(data: unknown): readonly ConfigProblem[] {
  if (isRecord(data) && data.stored_bodies !== undefined) return [];
  return entries(data, 'accounts')
    .flatMap((account) => entriesOf(account, 'keys'))
    .filter(({ value }) => value.store_bodies === true)
    .map(({ path }) => ({
      path: [...path, 'store_bodies'],
      ...broken('bodies_not_enabled'),
      fix: 'Add `stored_bodies: {}` to the file, or remove `store_bodies`.',
    }));
}
