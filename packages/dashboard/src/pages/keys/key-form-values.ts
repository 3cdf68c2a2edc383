import type { Key, NewOwnKey, OwnKeyChange } from '../../api/wire.ts';
import { momentOf, wallTime } from '../../text/wall-clock.ts';

/** The expiry choices: never, after a number of days, on a date, or `kept` for the current one. */
export const endings = ['never', '7', '30', '90', '365', 'on'] as const;

export type KeyExpiry = (typeof endings)[number] | 'kept';

export const capPeriods = ['all', 'day', 'week', 'month'] as const;

export type CapPeriod = (typeof capPeriods)[number];

/** The form values of a key. */
export interface KeyFormValues {
  readonly name: string;
  /** The id of the member for whom it counts. Empty: no member. */
  readonly member: string;
  readonly models: readonly string[];
  readonly ending: KeyExpiry;
  /** A day as `2026-01-31`, if `ending` is `on`. */
  readonly endsOn: string;
  readonly cap: string;
  readonly capPeriod: CapPeriod;
  /** A count, or empty. */
  readonly atOnce: string;
  readonly addresses: readonly string[];
  readonly honoursStreamFalse: boolean;
  readonly reportsCost: boolean;
  /** Whether bodies of its requests are stored. */
  readonly isStored: boolean;
}

export const emptyKeyForm: KeyFormValues = {
  name: '',
  member: '',
  models: [],
  ending: 'never',
  endsOn: '',
  cap: '',
  capPeriod: 'all',
  atOnce: '',
  addresses: [],
  honoursStreamFalse: false,
  reportsCost: false,
  isStored: false,
};

/** The form values of an existing key. */
export function formValuesOf(key: Key, timeZone: string): KeyFormValues {
  return {
    name: key.name,
    member: key.member_id ?? '',
    models: key.models ?? [],
    ending: key.expires_at === null ? 'never' : 'kept',
    endsOn: key.expires_at === null ? '' : wallTime(key.expires_at, timeZone).slice(0, 10),
    cap: key.spend_cap ?? '',
    capPeriod: key.cap_period ?? 'all',
    atOnce: key.max_concurrency === null ? '' : String(key.max_concurrency),
    addresses: key.addresses ?? [],
    honoursStreamFalse: key.honour_stream_false,
    reportsCost: key.report_cost,
    isStored: key.store_bodies,
  };
}

/** When and in which time zone the form was submitted. */
export interface FormContext {
  readonly now: Date;
  readonly timeZone: string;
  /** The member when the form was opened. The request leaves out an unchanged one. */
  readonly member: string;
}

/** The request body of a new key. An empty field means no limit. */
export function newKeyOf(values: KeyFormValues, context: FormContext): NewOwnKey {
  const { name, models, cap, capPeriod, atOnce, addresses, honoursStreamFalse, isStored } = values;
  const expiresAt = endOf(values, context);
  const isCapped = cap.trim() !== '';
  return {
    name: name.trim(),
    ...(values.member !== context.member && { member: values.member || null }),
    ...(models.length > 0 && { models }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(isCapped && { spend_cap: cap.trim() }),
    ...(isCapped && capPeriod !== 'all' && { cap_period: capPeriod }),
    ...(atOnce.trim() !== '' && { max_concurrency: Number(atOnce) }),
    ...(addresses.length > 0 && { addresses }),
    ...(honoursStreamFalse && { honour_stream_false: true }),
    ...(values.reportsCost && { report_cost: true }),
    ...(isStored && { store_bodies: true }),
  };
}

/** The request body of a changed key: every field of the form, except an expiry that is kept. */
export function changeOf(values: KeyFormValues, context: FormContext): OwnKeyChange {
  const { name, models, cap, capPeriod, atOnce, addresses, honoursStreamFalse, isStored } = values;
  const isCapped = cap.trim() !== '';
  return {
    name: name.trim(),
    ...(values.member !== context.member && { member: values.member || null }),
    models: models.length > 0 ? models : null,
    spend_cap: isCapped ? cap.trim() : null,
    cap_period: isCapped && capPeriod !== 'all' ? capPeriod : null,
    max_concurrency: atOnce.trim() === '' ? null : Number(atOnce),
    addresses: addresses.length > 0 ? addresses : null,
    honour_stream_false: honoursStreamFalse,
    report_cost: values.reportsCost,
    store_bodies: isStored,
    ...(values.ending !== 'kept' && { expires_at: endOf(values, context)?.toISOString() ?? null }),
  };
}

/** At most nine digits before and after the point, and greater than zero. */
export function isAmount(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) && Number(text) > 0;
}

/** A valid concurrency limit of a key. */
export function isCount(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text.trim()) && Number(text) <= 10_000;
}

/** A rough check for an IPv4 or IPv6 address or range; the gateway validates it exactly. */
export function isAddress(text: string): boolean {
  return /^[\d.]+(\/\d{1,2})?$/.test(text) || /^[\da-f:.]*:[\da-f:.]*(\/\d{1,3})?$/i.test(text);
}

function endOf({ ending, endsOn }: KeyFormValues, { now, timeZone }: FormContext): Date | undefined {
  if (ending === 'on') return momentOf(`${endsOn}T23:59`, timeZone);
  if (ending === 'never' || ending === 'kept') return undefined;
  return new Date(now.getTime() + Number(ending) * 86_400_000);
}
