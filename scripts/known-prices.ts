import { readFileSync, writeFileSync } from 'node:fs';
import { type KnownPrice, knownCurrency, knownPrices, nameForms } from '../src/money/catalog/known-prices.ts';
import { importedPrice } from '../src/money/catalog/price-list/imported-price.ts';
import type { ListEntry } from '../src/money/catalog/price-list/list-entry.ts';
import { listCurrency, readPriceList, type PriceList } from '../src/money/catalog/price-list/price-list.ts';

/** Names of providers in LiteLLM's table and in models.dev, and the name in our table. */
const providers: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Google',
  google: 'Google',
  deepseek: 'DeepSeek',
  mistral: 'Mistral',
  xai: 'xAI',
  moonshot: 'Moonshot',
  moonshotai: 'Moonshot',
  groq: 'Groq',
  cohere: 'Cohere',
  cohere_chat: 'Cohere',
  dashscope: 'Alibaba Cloud',
  alibaba: 'Alibaba Cloud',
  zai: 'Z.ai',
  minimax: 'MiniMax',
};

/** Models that change or disappear within weeks, fine-tuned ones, and models of other vendors that a provider resells. */
const excluded =
  /preview|experimental|[-/]exp\b|\bbeta\b|^ft:|latest|nightly|guard|-gv2|^(?:mistral|dashscope)\/\S*(?:glm|deepseek|kimi)/;

const path = 'src/money/catalog/known-prices.json';

const [file, day] = process.argv.slice(2);
if (!file || !day || !/^\d{4}-\d\d-\d\d$/.test(day)) {
  console.error(
    'Write src/money/catalog/known-prices.json from a price list. Usage: node scripts/known-prices.ts FILE DAY',
  );
  process.exit(2);
}
const list = readPriceList(readFileSync(file, 'utf8'));
if (!list) throw new Error(`${file} is not a price list of models.dev or LiteLLM.`);
if (listCurrency !== knownCurrency) throw new Error(`The list is in ${listCurrency}, the table in ${knownCurrency}.`);
const facts = allFacts(list, day);
writeFileSync(path, `${JSON.stringify({ currency: knownCurrency, unit: 'a million tokens', facts }, undefined, 2)}\n`);
console.log(`Wrote ${facts.length} prices, ${facts.filter((fact) => fact.as_of === day).length} of them of ${day}.`);

/** Prices of the list, and those of models that the list no longer has. */
function allFacts({ entries, kinds }: PriceList, asOf: string): readonly KnownPrice[] {
  const listed = new Map<string, KnownPrice>();
  for (const entry of entries) {
    const { own, unstamped } = nameForms(entry.name);
    const provider = providers[entry.provider];
    // A name without a date has the price of today. A dated name may have an old one.
    const name =
      own === unstamped || entries.some((other) => nameForms(other.name).own === unstamped) ? own : unstamped;
    if (!provider || excluded.test(entry.name) || nameForms(name).unstamped !== name || !isUsable(entry)) continue;
    if (!listed.has(name)) listed.set(name, factOf(name, provider, asOf, importedPrice('free', entry, kinds), entry));
  }
  const kept = knownPrices.filter(({ model }) => !listed.has(model));
  const order = [...new Set(Object.values(providers))];
  const rank = ({ provider }: KnownPrice) => order.indexOf(provider);
  return [...listed.values(), ...kept].sort((a, b) => rank(a) - rank(b) || (a.model < b.model ? -1 : 1));
}

function isUsable({ invalid, rounded, prices }: ListEntry): boolean {
  return invalid.length === 0 && rounded.length === 0 && (prices.output ?? 0n) > 0n;
}

function factOf(
  model: string,
  provider: string,
  as_of: string,
  price: Readonly<Record<string, unknown>>,
  { contextWindow: context_window, maxOutputTokens: max_output_tokens }: ListEntry,
): KnownPrice {
  const { tiers, ...base } = price as Pick<KnownPrice, 'input' | 'output' | 'tiers'>;
  // Service levels stay out: with a price, clients could select them.
  const reached = (tiers ?? []).filter(
    ({ when }) => Object.keys(when).length === 1 && when.prompt_over < (context_window ?? Infinity),
  );
  return {
    model,
    provider,
    as_of,
    ...base,
    ...(reached.length > 0 && { tiers: reached }),
    ...(context_window !== undefined && { context_window }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
  };
}
