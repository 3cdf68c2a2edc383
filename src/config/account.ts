import { z } from 'zod';
import type { CamelCased } from './camel-case.ts';
import { amount } from './decimal.ts';
import { displayName } from './display-name.ts';
import { capPeriod, keyAddresses, keyModels, maxConcurrency, spendCap, timeZone } from './key-limits.ts';
import { name } from './names.ts';
import { breaks } from './wording.ts';

/** One entry of `keys:` of an account. */
const keySchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(64)
      .regex(/^\P{C}*$/u, breaks('not_printable'))
      .describe('How you will recognise it.'),
    secret: z
      .string()
      .regex(/^gwk_live_[0-9A-Za-z]{38}$/, breaks('not_a_key'))
      .describe('What clients send. Keep it in the environment; `chat-gateway keys secret` makes one.')
      .meta({ title: 'a secret', sample: '${LAPTOP_KEY}' }),
    models: keyModels.optional().describe('Limits it to these models: ids, aliases or patterns.'),
    spend_cap: spendCap.optional().describe('What it may spend, in all or in each `cap_period`.'),
    cap_period: capPeriod
      .optional()
      .describe('How often the cap is new: by the clocks of `time_zone`, weeks on Monday.'),
    max_concurrency: maxConcurrency.optional().describe('How many of its requests are worked on at once; more wait.'),
    addresses: keyAddresses.optional().describe('Where it may be used from, behind `listen.trusted_proxies` too.'),
    expires_at: z.iso
      .datetime({ offset: true, ...breaks('not_a_time', { example: '2026-01-31T12:00:00Z' }) })
      .optional()
      .describe('When it ends by itself.'),
    honour_stream_false: z.boolean().optional().describe('Whether its `stream: false` gets one JSON body.'),
    store_bodies: z
      .boolean()
      .optional()
      .describe(
        'Whether the bodies of its requests and answers are stored, as `stored_bodies` allows. `true` counts when the key is made: afterwards its account decides. `false` switches it off.',
      ),
  })
  .refine(({ spend_cap: cap, cap_period: period }) => period === undefined || cap !== undefined, {
    ...breaks('period_without_cap'),
    path: ['cap_period'],
  });

/** One entry of `accounts:`. */
export const accountSchema = z.strictObject({
  name: name.describe('The account is made when the name is new; an existing account keeps its keys and balance.'),
  display_name: displayName
    .optional()
    .describe(
      'What people see, in any script. It counts when the account is made; afterwards it is changed in the dashboard or by command.',
    ),
  package: name.describe('The `name` of a package.'),
  credit: amount.optional().describe('Granted once, when the account is made, and spent before what was paid in.'),
  time_zone: timeZone
    .optional()
    .describe('By whose clocks its days, weeks and months begin, where caps of its keys renew; UTC if nobody says.'),
  keys: z
    .array(keySchema)
    .max(1000)
    .optional()
    .describe(
      'Keys to make if there are none with these secrets, and the limits of those there are. Keys made elsewhere are left alone; one that is taken out of the file stays until it is revoked.',
    ),
});

export type KeySpec = CamelCased<z.output<typeof keySchema>>;
export type AccountSpec = CamelCased<z.output<typeof accountSchema>>;
