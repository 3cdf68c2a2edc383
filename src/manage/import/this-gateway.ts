import { calendarSpans, isTimeZone } from '../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import { catalogPrice, knownPrice } from '../../money/catalog/known-prices.ts';
import { entryFinder } from '../../money/catalog/price-list/find-entry.ts';
import { importedPrice } from '../../money/catalog/price-list/imported-price.ts';
import type { ListEntry } from '../../money/catalog/price-list/list-entry.ts';
import { liteLlmEntry, liteLlmKinds } from '../../money/catalog/price-list/litellm-table.ts';
import { readPriceList } from '../../money/catalog/price-list/price-list.ts';
import { isAddressOrRange } from '../../platform/config/schema/egress.ts';
import { isPublicAddress } from '../../serving/upstreams/http1/egress-guard.ts';
import { knownKinds, presets } from '../../serving/upstreams/providers/presets.ts';
import type { PlannedPrice, TargetGateway } from 'chat-gateway-import/target.ts';

/** What plans of imports depend on in this gateway. */
export const thisGateway: TargetGateway = {
  kinds: knownKinds,
  passThroughKinds: new Set(
    presets.filter(({ wireFormat }) => wireFormat === 'chat-completions').map(({ name }) => name),
  ),
  isAddressOrRange,
  isPublicAddress,
  isTimeZone,
  periodStart: (period, at) => calendarSpans()({ period, timeZone: defaultTimeZone }, at).since,
  prices: {
    readList: (text) => readPriceList(text)?.entries,
    entryOf: liteLlmEntry,
    finder(list: readonly ListEntry[]) {
      const find = entryFinder(list);
      return (wanted) => find(wanted)?.entry;
    },
    settingsOf,
    known(name) {
      const known = knownPrice(name);
      return known && { settings: { price: { ...catalogPrice(known), tiers: known.tiers ?? [] } }, day: known.as_of };
    },
  },
};

/** A price of one direction only is complete: embeddings have it. */
function settingsOf(entry: ListEntry) {
  const { invalid, rounded, contextWindow, maxOutputTokens } = entry;
  const missing = invalid.filter(({ problem }) => problem === 'missing').map(({ field }) => field);
  if (invalid.length > missing.length || missing.length > 1) return undefined;
  const zero = Object.fromEntries(missing.map((field) => [field.startsWith('input') ? 'input' : 'output', 0n]));
  const price = importedPrice('free', { ...entry, prices: { ...zero, ...entry.prices } }, liteLlmKinds);
  const settings = {
    price: price as unknown as PlannedPrice,
    ...(contextWindow !== undefined && { context_window: contextWindow }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
  };
  return { settings, rounded };
}
