import type { ResourceRow } from '../../catalog/resource-rows.ts';
import type { Resource, ResourceKind } from '../../config/schema/resource.ts';

/** A file-owned catalog entry that differs between the store and the file of this process. */
export interface Drift {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly difference: 'only in the store' | 'only in the file' | 'different';
}

/** Compares the store with the file. Another process may use another file, or this one was not applied. */
export function driftBetween(rows: readonly ResourceRow[], file: readonly Resource[]): readonly Drift[] {
  const stored = new Map(rows.filter(({ source }) => source === 'file').map((row) => [nameOf(row), row]));
  const inFile = new Map(file.map((resource) => [nameOf(resource), resource]));
  const ofStore = [...stored].flatMap(([id, { kind, name, spec }]): Drift[] => {
    const other = inFile.get(id);
    if (!other) return [{ kind, name, difference: 'only in the store' }];
    return JSON.stringify(other.spec) === JSON.stringify(spec) ? [] : [{ kind, name, difference: 'different' }];
  });
  const ofFile = [...inFile].filter(([id]) => !stored.has(id));
  return [...ofStore, ...ofFile.map(([, { kind, name }]): Drift => ({ kind, name, difference: 'only in the file' }))];
}

function nameOf({ kind, name }: Resource): string {
  return `${kind} ${name}`;
}
