import { type Resource, type ResourceKind, resourceKinds } from './resource.ts';

/** The gateway needs an entry of each kind to answer requests, in the file or in the store. */
const needed = ['upstream', 'model'] as const satisfies readonly ResourceKind[];

/** The sections that requests need and that have no entry. */
export function emptySections(resources: readonly Resource[]): readonly string[] {
  return needed
    .filter((needs) => !resources.some(({ kind }) => kind === needs))
    .map((kind) => resourceKinds[kind].section);
}

/** The sections that have entries before, and none in the next configuration. */
export function emptiedSections(before: readonly Resource[], next: readonly Resource[]): readonly string[] {
  const empty = emptySections(before);
  return emptySections(next).filter((section) => !empty.includes(section));
}
