import { optional, z } from 'zod';
import { bool, text } from './fields.ts';
import type { CamelCased } from './values/camel-case.ts';
import { amount } from './values/decimal.ts';
import { displayName } from './values/display-name.ts';
import { capPeriod, keyAddresses, keyModels, maxConcurrency, spendCap, timeZone } from './key-limits.ts';
import { name } from './names.ts';
import { spendLimits } from './spend-limit.ts';
import { breaks } from '../file/wording.ts';
import { brokenKeyRule } from '../../../core/foreign-key.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

const keySchema = z
  .strictObject({
    name: text(1, 64)
      .regex(/^\P{C}*$/u, breaks('not_printable'))
      .describe('A name by which you recognise the key.'),
    secret: text(1, 512)
      .describe('The key that clients send. Keep it in the environment; `chat-gateway keys secret` creates one.')
      .meta({ title: 'a secret', sample: '${LAPTOP_KEY}' }),
    scheme: optional(z.enum(['plain', 'new-api'])).describe(
      'For a key of another product, which has another form. With `new-api`, clients may send `sk-` in front of it or leave it out; its suffix is refused.',
    ),
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
  .superRefine((key, context) => {
    const rule = secretRule(key);
    if (rule) context.addIssue({ code: 'custom', path: ['secret'], message: rule.message, params: { rule } });
  })
  .refine(({ spend_cap: cap, cap_period: period }) => period === undefined || cap !== undefined, {
    ...breaks('period_without_cap'),
    path: ['cap_period'],
  });

/** The rule that the secret breaks, if any. A typo in a key of the gateway's own form must not make a foreign key. */
function secretRule({ secret, scheme }: { secret: string; scheme?: 'plain' | 'new-api' | undefined }) {
  if (scheme !== undefined) return brokenKeyRule(secret, scheme);
  return /^gwk_live_[0-9A-Za-z]{38}$/.test(secret) ? undefined : broken('not_a_key');
}

export const accountSchema = z.strictObject({
  name: name.describe('The account is created if the name is new; an existing account keeps its keys and balance.'),
  display_name: optional(displayName).describe(
    'The name that users see, in any script. It applies when the account is created; afterwards, change it in the dashboard or by command.',
  ),
  package: name.describe('The `name` of a package.'),
  credit: optional(amount).describe(
    'Granted once, when the account is created, and spent before money that was paid in.',
  ),
  billing: optional(z.enum(['prepaid', 'postpaid'])).describe(
    '`prepaid`: requests are refused when the balance is used up. `postpaid`: the balance may go below zero, and the open amount is paid later.',
  ),
  limits: optional(spendLimits).describe(
    'The most that its keys together may spend per day, week or month, or in total ([teams.md](teams.md)). `[]` removes the limits.',
  ),
  organisation: optional(name).describe('The `name` of an organisation that it belongs to.'),
  time_zone: optional(timeZone).describe(
    'The time zone in which its days, weeks and months begin and the caps of its keys reset; UTC if not set.',
  ),
  keys: optional(z.array(keySchema).max(1000)).describe(
    'Keys that are created if no key has their secret, and the limits of existing keys. Keys created elsewhere are not changed. A key that is removed from the file stays valid until it is revoked.',
  ),
});

export type KeySpec = CamelCased<z.output<typeof keySchema>>;
export type AccountSpec = CamelCased<z.output<typeof accountSchema>>;
