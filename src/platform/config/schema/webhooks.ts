import { prefault, z } from 'zod';
import { list, text } from './fields.ts';
import { alertKinds } from '../../../core/outbox-event.ts';
import { durationWithin } from './values/duration.ts';
import { destination } from './egress.ts';
import { name } from './names.ts';
import { breaks } from '../file/wording.ts';

/** The address of a webhook endpoint. This schema checks only its text. */
export const webhookAddress = z
  .url({ protocol: /^https?$/, ...breaks('not_a_webhook_address') })
  .max(2000)
  .refine((text) => !/^https?:\/\/[^/?#]*@/i.test(text), breaks('webhook_with_credentials'))
  .refine((text) => !text.includes('#'), breaks('address_with_fragment'))
  .refine((text) => /^[\x21-\x7e]+$/.test(text), breaks('not_ascii_without_spaces'))
  .meta({ title: 'an address', sample: 'https://hooks.example.com/gateway' });

const endpointSchema = z.strictObject({
  name: name.describe('Its name in the dashboard.'),
  url: webhookAddress.describe('Address that events are sent to. Addresses in this file may be private.'),
  secret: text(24, 500)
    .describe('Secret that signs the events.')
    .meta({ title: 'a secret', sample: '${WEBHOOK_SECRET}' }),
  events: z
    .array(z.enum(alertKinds))
    .min(1)
    .max(alertKinds.length)
    .optional()
    .describe('Events that it gets, of all accounts; all events except `request.completed` if left out.'),
});

export const webhooksSchema = z.strictObject({
  endpoints: list(endpointSchema, 20).describe(
    'Webhook endpoints for the events of the whole gateway ([webhooks.md](webhooks.md)).',
  ),
  allow: list(destination, 1000).describe(
    'Private destinations that webhook endpoints of account owners may have: host names, addresses or ranges. Without it, they must have public addresses. Endpoints that operators add in the dashboard follow `egress.allow`.',
  ),
  retention: prefault(durationWithin('7d', '3650d'), '30d').describe(
    'How long events and the log of their deliveries are kept.',
  ),
});
