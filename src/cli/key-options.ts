import type { Command } from 'commander';
import type { KeyLimits } from '../accounts/key-limits.ts';
import type { NewKey } from '../accounts/keys.ts';
import { amount } from '../config/decimal.ts';
import { capPeriod, keyAddresses, maxConcurrency } from '../config/key-limits.ts';
import { modelPattern } from '../config/names.ts';
import { nanoFrom } from '../core/money.ts';
import { durationOf } from './duration-option.ts';
import { invalidOption, problemOf } from './option-values.ts';
import { CliError } from './output.ts';
import type { NamedGateway } from './place.ts';

/** The limits of a key as command options; `false` removes a limit. */
export interface KeyLimitOptions {
  readonly models?: string | false;
  readonly expires?: string | false;
  readonly spendCap?: string | false;
  readonly capPeriod?: string | false;
  readonly maxConcurrency?: string | false;
  readonly addresses?: string | false;
  readonly honourStreamFalse?: boolean;
  readonly storeBodies?: boolean;
}

/** Adds the options that set limits of a key. */
export function withKeyLimits(command: Command): Command {
  return command
    .option('--models <models>', 'models it may use: ids, aliases or patterns, separated by commas')
    .option('--expires <duration>', 'time until it expires, such as 12h or 30d')
    .option('--spend-cap <amount>', 'spend cap, such as 10.00')
    .option('--cap-period <period>', 'period of the spend cap, in the time zone of the account: day, week or month')
    .option('--max-concurrency <count>', 'maximum number of concurrent requests; further requests wait')
    .option('--addresses <addresses>', 'client addresses or ranges it may be used from, separated by commas')
    .option('--honour-stream-false', 'answer `stream: false` with one JSON body, for clients that cannot read a stream')
    .option('--store-bodies', 'store request and answer bodies, encrypted, for a limited time');
}

/** Adds the options that remove limits of a key. */
export function withoutKeyLimits(command: Command): Command {
  return command
    .option('--no-models', 'allow all models of the account')
    .option('--no-expires', 'never expire')
    .option('--no-spend-cap', 'allow spending up to the balance of the account')
    .option('--no-cap-period', 'apply the spend cap to all time')
    .option('--no-max-concurrency', 'do not limit concurrent requests')
    .option('--no-addresses', 'allow all client addresses')
    .option('--no-honour-stream-false', 'answer as configured for the site, usually with a stream')
    .option('--no-store-bodies', 'store no bodies from now on');
}

/** Converts options to limits: `undefined` leaves a limit unchanged, `null` removes it. */
export function keyLimitsOf(options: KeyLimitOptions, now: number): Omit<KeyLimits, 'name'> {
  const parse = <Value>(text: string | false | undefined, read: (text: string) => Value): Value | null | undefined =>
    text === false ? null : text === undefined ? undefined : read(text);
  return {
    models: parse(options.models, patterns),
    expiresAt: parse(options.expires, (text) => now + durationOf(text)),
    spendCap: parse(options.spendCap, amountOf),
    capPeriod: options.spendCap === false ? null : parse(options.capPeriod, periodOf),
    maxConcurrency: parse(options.maxConcurrency, countOf),
    addresses: parse(options.addresses, addressesOf),
    honourStreamFalse: options.honourStreamFalse,
    storeBodies: options.storeBodies,
  };
}

/** The same for a new key: removed limits are simply absent. */
export function newKeyLimits(options: KeyLimitOptions, now: number): Omit<NewKey, 'accountId' | 'name'> {
  const limits = keyLimitsOf(options, now);
  if (limits.capPeriod && limits.spendCap === undefined) throw periodWithoutCap();
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, value ?? undefined]));
}

/** Throws if the options store bodies and the configuration file does not allow that. */
export function requireStoring({ storeBodies }: KeyLimitOptions, { storesBodies }: NamedGateway): void {
  if (!storeBodies || storesBodies) return;
  throw new CliError('bodies_not_allowed', {}, { exitCode: 2 });
}

export function periodWithoutCap(): CliError {
  return new CliError('cap_period_without_cap', {}, { exitCode: 2 });
}

/** Validates the name of a key: 1 to 64 printable characters. */
export function keyName(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= 64 && !/\p{C}/u.test(name)) return name;
  throw new CliError('invalid_label', {}, { exitCode: 2 });
}

function amountOf(text: string): bigint {
  const decimal = amount.safeParse(text);
  if (decimal.success) return nanoFrom(decimal.data);
  throw invalidOption('--spend-cap', text, decimal);
}

function periodOf(text: string): 'day' | 'week' | 'month' {
  const period = capPeriod.safeParse(text);
  if (period.success) return period.data;
  throw new CliError('invalid_cap_period', { value: text }, { exitCode: 2 });
}

function countOf(text: string): number {
  const count = maxConcurrency.safeParse(/^\d+$/.test(text) ? Number(text) : Number.NaN);
  if (count.success) return count.data;
  const params = { option: '--max-concurrency', value: text, min: 1, max: 10_000 };
  throw new CliError('invalid_number', params, { exitCode: 2 });
}

function addressesOf(text: string): readonly string[] {
  const addresses = keyAddresses.safeParse(text.split(','));
  if (addresses.success) return addresses.data;
  throw new CliError('invalid_addresses', { value: text, problem: problemOf(addresses) }, { exitCode: 2 });
}

function patterns(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const pattern = modelPattern.safeParse(part.trim());
    if (pattern.success) return pattern.data;
    throw new CliError('invalid_models', { value: text, problem: problemOf(pattern) }, { exitCode: 2 });
  });
}
