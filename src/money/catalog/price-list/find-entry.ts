import { nameForms } from '../known-prices.ts';
import type { ListEntry } from './list-entry.ts';

/** A model at a provider, as a route names it. */
export interface WantedEntry {
  readonly name: string;
  /** Names under which the list may have the provider, such as the kind of the upstream. */
  readonly providers: readonly string[];
}

/** `undefined`: the list does not have the model. `ambiguous`: it has several prices for it. */
export type EntryMatch =
  | { readonly entry: ListEntry; readonly ambiguous?: undefined }
  | { readonly ambiguous: readonly ListEntry[]; readonly entry?: undefined }
  | undefined;

/**
 * Returns a search by the name rule of the table that comes with the gateway. Entries of the route's provider go first.
 * Prices of other providers are used only if they are all the same.
 */
export function entryFinder(entries: readonly ListEntry[]): (wanted: WantedEntry) => EntryMatch {
  const byName = Map.groupBy(entries, ({ name }) => nameForms(name).own);
  return ({ name, providers }) => {
    const { own, unstamped } = nameForms(name);
    const exact = byName.get(own) ?? [];
    const similar = byName.get(unstamped) ?? [];
    const ofProvider = (some: readonly ListEntry[]) => some.filter((each) => isOf(each, providers));
    const sets = [ofProvider(exact), ofProvider(similar), exact, similar];
    return narrowed(sets.find(({ length }) => length > 0) ?? [], name.toLowerCase());
  };
}

/** Names of providers in the lists that differ from the kinds of upstreams. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  bedrock: ['amazon-bedrock', 'bedrock_converse'],
  fireworks: ['fireworks-ai', 'fireworks_ai'],
  google: ['gemini'],
  'google-openai': ['google', 'gemini'],
  moonshot: ['moonshotai'],
  qwen: ['alibaba-cn', 'dashscope'],
  'qwen-intl': ['alibaba', 'dashscope'],
  together: ['togetherai', 'together_ai'],
  vertex: ['google-vertex', 'vertex_ai-language-models'],
  zhipu: ['zhipuai'],
};

function isOf({ provider }: ListEntry, providers: readonly string[]): boolean {
  const listed = provider.toLowerCase();
  return providers.some((name) => name.toLowerCase() === listed || otherNames[name]?.includes(listed));
}

function narrowed(entries: readonly ListEntry[], name: string): EntryMatch {
  const vendor = name.includes('/') ? name.slice(0, name.indexOf('/')) : undefined;
  const preferences: readonly ((entry: ListEntry) => boolean)[] = [
    (entry) => isWholeName(entry, name),
    ({ provider }) => provider.toLowerCase() === vendor,
  ];
  const left = preferences.reduce((some, isPreferred) => {
    const preferred = some.filter(isPreferred);
    return preferred.length > 0 ? preferred : some;
  }, entries);
  const [entry] = left;
  if (!entry) return undefined;
  return left.every((each) => haveSamePrices(each, entry)) ? { entry } : { ambiguous: left };
}

function isWholeName({ provider, name: listed }: ListEntry, name: string): boolean {
  const whole = listed.toLowerCase();
  return whole === name || whole === `${provider.toLowerCase()}/${name}`;
}

function haveSamePrices(one: ListEntry, other: ListEntry): boolean {
  return pricesText(one) === pricesText(other);
}

function pricesText({ prices, tiers, invalid }: ListEntry): string {
  const sorted = (some: object) => Object.entries(some).sort(([one], [other]) => (one < other ? -1 : 1));
  const parts = [sorted(prices), tiers.map((tier) => [tier.promptOver, tier.level, sorted(tier.prices)]), invalid];
  return JSON.stringify(parts, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
