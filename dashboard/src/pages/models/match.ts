import type { OwnModel } from '../../api/wire.ts';

/** Whether every word of the search occurs in a model's names or description. */
export function matchesSearch({ id, aliases, owned_by: owner, description }: OwnModel, search: string): boolean {
  const names = [id, ...aliases, owner, description ?? ''].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}
