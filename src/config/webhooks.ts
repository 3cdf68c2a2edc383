import { z } from 'zod';
import { alertKinds } from '../core/outbox-event.ts';
import { durationWithin } from './duration.ts';
import { place } from './egress.ts';
import { name } from './names.ts';
import { breaks } from './wording.ts';

/** Where notices may be sent, as far as that can be seen from how it is written. */
export const webhookAddress = z
  .url({ protocol: /^https?$/, ...breaks('not_a_webhook_address') })
  .max(2000)
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), breaks('webhook_with_credentials'))
  .refine((text) => !text.includes('#'), breaks('address_with_fragment'))
  .refine((text) => /^[\x21-\x7e]+$/.test(text), breaks('not_ascii_without_spaces'))
  .meta({ title: 'an address', sample: 'https://hooks.example.com/gateway' });

const endpointSchema = z.strictObject({
  name: name.describe('What the console calls it.'),
  url: webhookAddress.describe('Where notices go. Addresses in this file may be private.'),
  secret: z
    .string()
    .min(24)
    .max(500)
    .describe('What notices are signed with.')
    .meta({ title: 'a secret', sample: '${WEBHOOK_SECRET}' }),
  events: z
    .array(z.enum(alertKinds))
    .min(1)
    .max(alertKinds.length)
    .optional()
    .describe('Which notices it gets, of all accounts; every one if left out.'),
});

/** `webhooks:` of the file. */
export const webhooksSchema = z.strictObject({
  endpoints: z
    .array(endpointSchema)
    .max(20)
    .prefault([])
    .describe('Who is told what happens in the whole gateway ([webhooks.md](webhooks.md)).'),
  allow: z
    .array(place)
    .max(1000)
    .prefault([])
    .describe(
      'Private places that the webhooks of account owners may reach: host names, addresses, or ranges. Without it they reach public addresses only; those that operators add in the console follow `egress.allow`.',
    ),
  retention: durationWithin('7d', '3650d')
    .prefault('30d')
    .describe('How long notices and the log of their deliveries are kept.'),
});
