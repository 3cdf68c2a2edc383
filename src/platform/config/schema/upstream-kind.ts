import { suggestion } from '../file/closest.ts';
import type { ConfigProblem } from '../file/problem.ts';
import { type SectionEntry, entries } from '../file/sections.ts';
import { ownFieldNames } from './upstream.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

/** A possible `kind` of an upstream. Callers pass the list, because this folder does not import the providers. */
export interface UpstreamKind {
  readonly name: string;
  /** Whether an upstream of this kind can be reached without a `base_url`. */
  readonly hasAddress: boolean;
  /** Environment variables that usually hold its credential. */
  readonly environment?: readonly string[];
  /** The fields for some providers that it accepts, and the fields that it needs. */
  readonly own?: { readonly takes: readonly string[]; readonly needs: readonly UpstreamNeed[] };
}

/** Groups of fields. One group must be complete. */
export interface UpstreamNeed {
  readonly oneOf: readonly (readonly string[])[];
  /** How to write it. */
  readonly fix: string;
}

/** Finds problems of upstreams that the schema of one field cannot find. */
export function unfitUpstreams(data: unknown, kinds: readonly UpstreamKind[]): readonly ConfigProblem[] {
  return entries(data, 'upstreams').flatMap((upstream) => [
    ...unknownKind(upstream, kinds),
    ...missingAddress(upstream, kinds),
    ...doubledCredential(upstream),
    ...misplacedFields(upstream, kinds),
  ]);
}

/** Finds required fields that are missing. Not for entries whose secrets were removed. */
export function incompleteUpstreams(data: unknown, kinds: readonly UpstreamKind[]): readonly ConfigProblem[] {
  return entries(data, 'upstreams').flatMap(({ path, value }) => {
    const kind = kinds.find(({ name }) => name === value.kind);
    const isSet = (field: string): boolean => value[field] !== undefined;
    const missing = (kind?.own?.needs ?? []).filter(({ oneOf }) => !oneOf.some((group) => group.every(isSet)));
    return missing.map(({ oneOf, fix }) => {
      const field = oneOf[0]?.find((each) => !isSet(each)) ?? 'kind';
      return { path: [...path, field], ...broken('missing_for_kind', { kind: kind?.name ?? '' }), fix };
    });
  });
}

/** Refuses settings that no code reads, because an operator would assume that they work. */
function misplacedFields({ path, value }: SectionEntry, kinds: readonly UpstreamKind[]): ConfigProblem[] {
  const kind = kinds.find(({ name }) => name === value.kind);
  if (!kind) return [];
  const meaningless = ownFieldNames.filter((field) => !kind.own?.takes.includes(field));
  const problem = { isAtName: true, ...broken('not_for_kind', { kind: kind.name }), fix: 'Remove it.' };
  return meaningless
    .filter((field) => value[field] !== undefined)
    .map((field) => ({ path: [...path, field], ...problem }));
}

function unknownKind({ path, value }: SectionEntry, kinds: readonly UpstreamKind[]): ConfigProblem[] {
  const { kind } = value;
  const known = kinds.map(({ name }) => name);
  if (typeof kind !== 'string' || known.includes(kind)) return [];
  const fix = suggestion(kind, known) || 'Write `openai` for a provider of the chat-completions format.';
  return [{ path: [...path, 'kind'], ...broken('unknown_kind', { kind }), fix }];
}

function missingAddress({ path, value }: SectionEntry, kinds: readonly UpstreamKind[]): ConfigProblem[] {
  const kind = kinds.find(({ name }) => name === value.kind);
  if (!kind || kind.hasAddress || value.base_url !== undefined) return [];
  const fix = 'Add the address of the API, such as `base_url: https://…/v1`.';
  return [{ path: [...path, 'base_url'], ...broken('missing_address', { kind: kind.name }), fix }];
}

function doubledCredential({ path, value }: SectionEntry): ConfigProblem[] {
  if (value.api_key === undefined || value.api_keys === undefined) return [];
  const fix = 'Keep one of the two; a list may hold any number.';
  return [{ path: [...path, 'api_keys'], isAtName: true, ...broken('both_key_settings'), fix }];
}
