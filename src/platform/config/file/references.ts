import { suggestion } from './closest.ts';
import { defaultPackages } from '../config.ts';
import type { ConfigProblem } from './problem.ts';
import { type SectionEntry, entries, entriesOf, isRecord } from './sections.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

/** Finds routes, fallbacks, accounts and sites that name an upstream, a model, a package or an organisation that does not exist. */
export function danglingReferences(data: unknown): readonly ConfigProblem[] {
  const upstreams = names(data, 'upstreams');
  const packages =
    isRecord(data) && data.packages !== undefined ? names(data, 'packages') : defaultPackages.map(({ name }) => name);
  const models = entries(data, 'models');
  const modelNames = models.flatMap(({ value: { id, aliases } }) => [id, ...(Array.isArray(aliases) ? aliases : [])]);
  return [
    ...models.flatMap((model) => entriesOf(model, 'routes')).flatMap((route) => dangling(route, 'upstream', upstreams)),
    ...models
      .flatMap((model) => entriesOf(model, 'fallbacks'))
      .flatMap((fallback) => dangling(fallback, 'model', modelNames.map(String))),
    ...entries(data, 'accounts').flatMap((account) => dangling(account, 'package', packages)),
    ...entries(data, 'accounts').flatMap((account) => dangling(account, 'organisation', names(data, 'organisations'))),
    ...entries(data, 'sites')
      .filter(({ value }) => value.sign_up === true)
      .flatMap(({ path, value }) => ({ path, value: { sign_up_package: 'standard', ...value } }))
      .flatMap((site) => dangling(site, 'sign_up_package', packages)),
  ];
}

type ReferenceField = keyof typeof referencedSections;

const referencedSections = {
  upstream: 'upstreams',
  model: 'models',
  package: 'packages',
  sign_up_package: 'packages',
  organisation: 'organisations',
} as const;

function dangling({ path, value }: SectionEntry, field: ReferenceField, known: readonly string[]): ConfigProblem[] {
  const named = value[field];
  if (typeof named !== 'string' || known.includes(named)) return [];
  const section = referencedSections[field];
  const fix = `${suggestion(named, known)} Add it to \`${section}\`, or use another name.`.trim();
  return [{ path: [...path, field], ...broken('not_configured', { name: named, section }), fix }];
}

function names(data: unknown, section: string): string[] {
  return entries(data, section).map(({ value }) => String(value.name));
}
