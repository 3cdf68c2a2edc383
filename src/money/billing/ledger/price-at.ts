import {
  factorOne,
  isWindow,
  levelFields,
  type Price,
  type PriceTier,
  type ServiceLevel,
  type TierCondition,
  type TokenPrices,
  tokenKinds,
  type Weekday,
  weekdays,
} from 'chat-formats/price.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import { dayAfter, type LocalMoment, localMoments } from '../../../core/time/local-moment.ts';

/** The prices of tokens, and the product of the factors as the fraction `factor / scale`. */
export interface PriceAt {
  readonly prices: TokenPrices;
  readonly factor: bigint;
  readonly scale: bigint;
}

/** The prices for a prompt of this length at a service level, at a moment in the time zone of the price. */
export function priceAt(price: Price, promptTokens: number, level: ServiceLevel, moment?: LocalMoment): PriceAt {
  let prices: TokenPrices | undefined;
  let factor = 1n;
  let scale = 1n;
  for (const tier of price.tiers) {
    if (!holds(tier, promptTokens, level, moment)) continue;
    if (tier.prices) prices ??= tier.prices;
    else {
      factor *= tier.factor;
      scale *= factorOne;
    }
  }
  return { prices: prices ?? price, factor, scale };
}

function holds({ when }: PriceTier, promptTokens: number, level: ServiceLevel, moment: LocalMoment | undefined) {
  if (isWindow(when) && !(moment && isInside(when, moment))) return false;
  if (when.promptOver !== undefined && promptTokens <= when.promptOver) return false;
  return levelFields.every((field) => when[field] === undefined || when[field] === level[field]);
}

/** A window whose end is not after its start ends on the next day. Texts of times have the order of the times. */
function isInside({ days, from = dayStart, to = dayEnd }: TierCondition, { day, time }: LocalMoment): boolean {
  const beginsOn = (name: Weekday) => days?.includes(name) ?? true;
  if (from < to) return beginsOn(day) && from <= time && time < to;
  return (beginsOn(day) && from <= time) || (beginsOn(dayAfter(day, -1)) && time < to);
}

const dayStart = '00:00';
const dayEnd = '24:00';

const localMoment = localMoments();

/** When the request of an answer was sent, in the time zone of a price. `undefined`: the price is the same all week. */
export function momentOf({ sentAt }: Pick<Usage, 'sentAt'>, { timeZone }: Price): LocalMoment | undefined {
  return timeZone === undefined || sentAt === undefined ? undefined : localMoment(timeZone, sentAt);
}

/** Moments that between them have every price of a week: windows begin and end there, and nowhere else. */
export function momentsOf({ tiers, timeZone }: Price): readonly (LocalMoment | undefined)[] {
  if (timeZone === undefined) return [undefined];
  return tiers
    .filter(({ when }) => isWindow(when))
    .flatMap(({ when: { days = weekdays, from = dayStart, to = dayEnd } }) =>
      weekdays
        .filter((day) => days.includes(day))
        .flatMap((day) => {
          const isSameDay = from < to && to !== dayEnd;
          const end = { day: isSameDay ? day : dayAfter(day), time: to === dayEnd ? dayStart : to };
          return [{ day, time: from }, end];
        }),
    );
}

/** Lengths of prompts up to `promptTokensMax` that between them have every price that such a prompt can have. */
export function promptLengths(price: Price, promptTokensMax: number): readonly number[] {
  const thresholds = price.tiers.flatMap(({ when: { promptOver = Infinity } }) => promptOver);
  return [promptTokensMax, ...thresholds.filter((tokens) => tokens < promptTokensMax)];
}

/**
 * A flat price that is at most the price of any tier, for an answer in progress. Its provider has not yet reported which
 * tokens are reasoning, audio or images, so all kinds of content have the lowest of their prices, and so do cache writes.
 */
export function cheapestPrice(price: Price): Price {
  const start = { prices: price, factor: 1n, scale: 1n };
  const { prices, factor, scale } = price.tiers.reduce<PriceAt>(cheaper, start);
  const least = eachPrice(prices, (pico) => (pico * factor) / scale);
  const input = [least.input, least.inputAudio, least.inputImage].reduce(smaller);
  const output = [least.output, least.reasoning, least.outputAudio].reduce(smaller);
  const written = [least.cacheWrite5m, least.cacheWrite30m, least.cacheWrite1h, least.cacheWrite12h].reduce(smaller);
  const writes = { cacheWrite5m: written, cacheWrite30m: written, cacheWrite1h: written, cacheWrite12h: written };
  const content = { input, inputAudio: input, inputImage: input, output, reasoning: output, outputAudio: output };
  return { ...price, ...least, ...writes, ...content, tiers: [], timeZone: undefined };
}

function cheaper(least: PriceAt, { prices: others, factor = factorOne }: PriceTier): PriceAt {
  if (factor < factorOne) return { ...least, factor: least.factor * factor, scale: least.scale * factorOne };
  if (!others) return least;
  return { ...least, prices: eachPrice(least.prices, (pico, kind) => smaller(others[kind], pico)) };
}

function eachPrice(prices: TokenPrices, change: (pico: bigint, kind: keyof TokenPrices) => bigint): TokenPrices {
  const entries = tokenKinds.map((kind) => [kind, change(prices[kind], kind)]);
  return Object.fromEntries(entries);
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
