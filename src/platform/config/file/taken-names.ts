import { broken } from 'chat-formats/reasons/reason.ts';
import type { ConfigProblem } from './problem.ts';
import { type SectionEntry, entries } from './sections.ts';

/** Finds names that two entries use. Ids and aliases of models share one namespace, and so do the domains of all sites. */
export function takenNames(data: unknown): readonly ConfigProblem[] {
  return [
    ...doubled(data, 'upstreams', 'name', ['name']),
    ...doubled(data, 'models', 'id', ['id', 'aliases']),
    ...doubled(data, 'packages', 'name', ['name']),
    ...doubled(data, 'sites', 'name', ['name']),
    ...doubled(data, 'sites', 'name', ['domains']),
    ...doubled(data, 'organisations', 'name', ['name']),
    ...doubled(data, 'accounts', 'name', ['name']),
  ];
}

function doubled(data: unknown, section: string, ownerField: string, fields: readonly string[]): ConfigProblem[] {
  const owners = new Map<string, string>();
  const claims = entries(data, section).flatMap((entry) =>
    fields.flatMap((field) =>
      claimsOf(entry, field).map((claim) => ({ ...claim, owner: String(entry.value[ownerField]) })),
    ),
  );
  return claims.flatMap(({ path, name, owner }) => {
    const first = owners.get(name);
    if (first === undefined) {
      owners.set(name, owner);
      return [];
    }
    const fix = 'Choose another, or remove one of the two.';
    return [{ path, ...broken('name_taken', { name, owner: first, section }), fix }];
  });
}

function claimsOf(entry: SectionEntry, field: string): { path: SectionEntry['path']; name: string }[] {
  const value = entry.value[field];
  if (typeof value === 'string') return [{ path: [...entry.path, field], name: value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) =>
    typeof item === 'string'
      ? [{ path: [...entry.path, field, index], name: field === 'domains' ? item.toLowerCase() : item }]
      : [],
  );
}
