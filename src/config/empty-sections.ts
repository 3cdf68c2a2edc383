import { type Resource, type ResourceKind, resourceKinds } from './resource.ts';

/** Without an entry of each the gateway can answer no request, unless the store has some. */
const needed = ['upstream', 'model'] as const satisfies readonly ResourceKind[];

/** The sections of a configuration that have no entry although requests need one. */
export function emptySections(resources: readonly Resource[]): readonly string[] {
  return needed
    .filter((needs) => !resources.some(({ kind }) => kind === needs))
    .map((kind) => resourceKinds[kind].section);
}

/** The sections whose last entries the next configuration would remove. */
export function emptiedSections(before: readonly Resource[], next: readonly Resource[]): readonly string[] {
  const empty = emptySections(before);
  return emptySections(next).filter((section) => !empty.includes(section));
}
