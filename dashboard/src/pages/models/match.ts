import type { OwnModel } from '../../api/wire.ts';

/** Whether every word of a search stands somewhere in a model's names or in what is said of it. */
export function matchesSearch({ id, aliases, owned_by: owner, description }: OwnModel, search: string): boolean {
  const names = [id, ...aliases, owner, description ?? ''].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}
