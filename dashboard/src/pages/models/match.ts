import type { OwnModel } from '../../api/wire.ts';

/** Whether every word of a search stands somewhere in a model's names. */
export function matchesSearch({ id, aliases, owned_by: owner }: OwnModel, search: string): boolean {
  const names = [id, ...aliases, owner].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}
