import type { Command } from 'commander';
import { expiryOf, numeric } from '../terminal/option-values.ts';

/** The limits of a key as command options; `false` removes a limit. */
export interface KeyLimitOptions {
  readonly models?: string | false;
  readonly expires?: string | false;
  readonly spendCap?: string | false;
  readonly capPeriod?: string | false;
  readonly maxConcurrency?: string | false;
  readonly addresses?: string | false;
  readonly honourStreamFalse?: boolean;
  readonly reportCost?: boolean;
  readonly storeBodies?: boolean;
}

export function withKeyLimits(command: Command): Command {
  return command
    .option('--models <models>', 'models it may use: ids, aliases or patterns, separated by commas')
    .option('--expires <duration>', 'time until it expires, such as 12h or 30d')
    .option('--spend-cap <amount>', 'spend cap, such as 10.00')
    .option('--cap-period <period>', 'period of the spend cap, in the time zone of the account: day, week or month')
    .option('--max-concurrency <count>', 'maximum number of concurrent requests; further requests wait')
    .option('--addresses <addresses>', 'client addresses or ranges it may be used from, separated by commas')
    .option('--honour-stream-false', 'answer `stream: false` with one JSON body, for clients that cannot read a stream')
    .option('--report-cost', 'add the charge to the usage of answers, and to JSON replies as x-gateway-cost')
    .option('--store-bodies', 'store request and answer bodies, encrypted, for a limited time');
}

export function withoutKeyLimits(command: Command): Command {
  return command
    .option('--no-models', 'allow all models of the account')
    .option('--no-expires', 'never expire')
    .option('--no-spend-cap', 'allow spending up to the balance of the account')
    .option('--no-cap-period', 'apply the spend cap to all time')
    .option('--no-max-concurrency', 'do not limit concurrent requests')
    .option('--no-addresses', 'allow all client addresses')
    .option('--no-honour-stream-false', 'answer as configured for the site, usually with a stream')
    .option('--no-report-cost', 'report the charge only if the site does')
    .option('--no-store-bodies', 'store no bodies from now on');
}

/** Converts options to fields of a key: `undefined` leaves a limit unchanged, `null` removes it. */
export function keyFieldsOf(options: KeyLimitOptions): Readonly<Record<string, unknown>> {
  return {
    models: fieldOf(options.models, partsOf),
    expires_at: fieldOf(options.expires, expiryOf),
    spend_cap: fieldOf(options.spendCap, String),
    cap_period: fieldOf(options.capPeriod, String),
    max_concurrency: fieldOf(options.maxConcurrency, numeric),
    addresses: fieldOf(options.addresses, partsOf),
    honour_stream_false: options.honourStreamFalse,
    report_cost: options.reportCost,
    store_bodies: options.storeBodies,
  };
}

function fieldOf<Value>(text: string | false | undefined, parse: (text: string) => Value): Value | null | undefined {
  return text === false ? null : text === undefined ? undefined : parse(text);
}

function partsOf(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}
