import { optional, z } from 'zod';
import { bool, text } from './fields.ts';
import type { CamelCased } from './camel-case.ts';
import { amount } from './decimal.ts';
import { displayName } from './display-name.ts';
import { capPeriod, keyAddresses, keyModels, maxConcurrency, spendCap, timeZone } from './key-limits.ts';
import { name } from './names.ts';
import { breaks } from '../file/wording.ts';

const keySchema = z
  .strictObject({
    name: text(1, 64)
      .regex(/^\P{C}*$/u, breaks('not_printable'))
      .describe('A name by which you recognise the key.'),
    secret: z
      .string()
      .regex(/^gwk_live_[0-9A-Za-z]{38}$/, breaks('not_a_key'))
      .describe('The key that clients send. Keep it in the environment; `chat-gateway keys secret` creates one.')
      .meta({ title: 'a secret', sample: '${LAPTOP_KEY}' }),
    models: keyModels.optional().describe('Limits the key to these models: ids, aliases or patterns.'),
    spend_cap: spendCap.optional().describe('Spend cap, in total or for each `cap_period`.'),
    cap_period: capPeriod.optional().describe('How often the cap resets: at midnight in `time_zone`, weeks on Monday.'),
    max_concurrency: maxConcurrency.optional().describe('How many of its requests run at once; further requests wait.'),
    addresses: optional(keyAddresses).describe(
      'Client addresses from which it may be used. Behind `listen.trusted_proxies`, the forwarded address counts.',
    ),
    expires_at: z.iso
      .datetime({ offset: true, ...breaks('not_a_time', { example: '2026-01-31T12:00:00Z' }) })
      .optional()
      .describe('When it expires.'),
    honour_stream_false: bool.optional().describe('Whether its requests with `stream: false` get one JSON body.'),
    report_cost: optional(bool).describe(
      'Whether the usage of its answers has `cost`, and JSON replies have the header `x-gateway-cost`.',
    ),
    store_bodies: optional(bool).describe(
      'Whether the bodies of its requests and answers are stored, as `stored_bodies` allows. `true` applies when the key is created; afterwards its account decides. `false` turns it off.',
    ),
  })
  .refine(({ spend_cap: cap, cap_period: period }) => period === undefined || cap !== undefined, {
    ...breaks('period_without_cap'),
    path: ['cap_period'],
  });

export const accountSchema = z.strictObject({
  name: name.describe('The account is created if the name is new; an existing account keeps its keys and balance.'),
  display_name: optional(displayName).describe(
    'The name that users see, in any script. It applies when the account is created; afterwards, change it in the dashboard or by command.',
  ),
  package: name.describe('The `name` of a package.'),
  credit: optional(amount).describe(
    'Granted once, when the account is created, and spent before money that was paid in.',
  ),
  time_zone: optional(timeZone).describe(
    'The time zone in which its days, weeks and months begin and the caps of its keys reset; UTC if not set.',
  ),
  keys: optional(z.array(keySchema).max(1000)).describe(
    'Keys that are created if no key has their secret, and the limits of existing keys. Keys created elsewhere are not changed. A key that is removed from the file stays valid until it is revoked.',
  ),
});

export type KeySpec = CamelCased<z.output<typeof keySchema>>;
export type AccountSpec = CamelCased<z.output<typeof accountSchema>>;
