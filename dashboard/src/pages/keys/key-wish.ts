import type { Key, NewOwnKey, OwnKeyChange } from '../../api/wire.ts';
import { momentOf, wallTime } from '../../text/wall-clock.ts';

/** When a key ends: never, after so many days, on a day that is named, or when it does already. */
export const endings = ['never', '7', '30', '90', '365', 'on'] as const;

export type KeyExpiry = (typeof endings)[number] | 'kept';

export const capPeriods = ['all', 'day', 'week', 'month'] as const;

export type CapPeriod = (typeof capPeriods)[number];

/** What the form holds. */
export interface KeyWish {
  readonly name: string;
  readonly models: readonly string[];
  readonly ending: KeyExpiry;
  /** A day as `2026-01-31`, where the ending is `on`. */
  readonly endsOn: string;
  readonly cap: string;
  readonly capPeriod: CapPeriod;
  /** A count, or nothing. */
  readonly atOnce: string;
  readonly addresses: readonly string[];
  readonly isWhole: boolean;
  /** Whether what its requests say is stored. */
  readonly isStored: boolean;
}

export const emptyWish: KeyWish = {
  name: '',
  models: [],
  ending: 'never',
  endsOn: '',
  cap: '',
  capPeriod: 'all',
  atOnce: '',
  addresses: [],
  isWhole: false,
  isStored: false,
};

/** A key as the form shows it. */
export function wishOf(key: Key, timeZone: string): KeyWish {
  return {
    name: key.name,
    models: key.models ?? [],
    ending: key.expires_at === null ? 'never' : 'kept',
    endsOn: key.expires_at === null ? '' : wallTime(key.expires_at, timeZone).slice(0, 10),
    cap: key.spend_cap ?? '',
    capPeriod: key.cap_period ?? 'all',
    atOnce: key.max_concurrency === null ? '' : String(key.max_concurrency),
    addresses: key.addresses ?? [],
    isWhole: key.honour_stream_false,
    isStored: key.store_bodies,
  };
}

/** When and where a form was filled in. */
export interface Filled {
  readonly now: Date;
  readonly timeZone: string;
}

/** The wish as the gateway takes it; what was left empty is no limit. */
export function newKeyOf(wish: KeyWish, filled: Filled): NewOwnKey {
  const { name, models, cap, capPeriod, atOnce, addresses, isWhole, isStored } = wish;
  const expiresAt = endOf(wish, filled);
  const isCapped = cap.trim() !== '';
  return {
    name: name.trim(),
    ...(models.length > 0 && { models }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(isCapped && { spend_cap: cap.trim() }),
    ...(isCapped && capPeriod !== 'all' && { cap_period: capPeriod }),
    ...(atOnce.trim() !== '' && { max_concurrency: Number(atOnce) }),
    ...(addresses.length > 0 && { addresses }),
    ...(isWhole && { honour_stream_false: true }),
    ...(isStored && { store_bodies: true }),
  };
}

/** What the wish changes about a key: everything the form shows, but for an end that stays. */
export function changeOf(wish: KeyWish, filled: Filled): OwnKeyChange {
  const { name, models, cap, capPeriod, atOnce, addresses, isWhole, isStored } = wish;
  const isCapped = cap.trim() !== '';
  return {
    name: name.trim(),
    models: models.length > 0 ? models : null,
    spend_cap: isCapped ? cap.trim() : null,
    cap_period: isCapped && capPeriod !== 'all' ? capPeriod : null,
    max_concurrency: atOnce.trim() === '' ? null : Number(atOnce),
    addresses: addresses.length > 0 ? addresses : null,
    honour_stream_false: isWhole,
    store_bodies: isStored,
    ...(wish.ending !== 'kept' && { expires_at: endOf(wish, filled)?.toISOString() ?? null }),
  };
}

/** At most nine digits before the point and nine after it, and not nothing. */
export function isAmount(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) && Number(text) > 0;
}

/** So many at once as a key can be limited to. */
export function isCount(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text.trim()) && Number(text) <= 10_000;
}

/** Looks like an address or a range of either kind; the gateway looks closer. */
export function isAddress(text: string): boolean {
  return /^[\d.]+(\/\d{1,2})?$/.test(text) || /^[\da-f:.]*:[\da-f:.]*(\/\d{1,3})?$/i.test(text);
}

function endOf({ ending, endsOn }: KeyWish, { now, timeZone }: Filled): Date | undefined {
  if (ending === 'on') return momentOf(`${endsOn}T23:59`, timeZone);
  if (ending === 'never' || ending === 'kept') return undefined;
  return new Date(now.getTime() + Number(ending) * 86_400_000);
}
