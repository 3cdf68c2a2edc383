import { z } from 'zod';
import { duration } from '../../../platform/config/schema/values/duration.ts';
import { webhookAddress } from '../../../platform/config/schema/webhooks.ts';
import { contentVersion } from '../../../core/content-version.ts';
import { type AlertKind, alertKinds } from '../../../core/outbox-event.ts';
import type { Delivery } from '../../../operate/notifications/delivery-log.ts';
import { deliveryFaults, deliveryStates } from '../../../operate/notifications/delivery.ts';
import {
  findWebhookEndpoint,
  type WebhookEndpoint,
} from '../../../operate/notifications/webhooks/webhook-endpoints.ts';
import { pageOf } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused } from '../api/sent-values.ts';
import { documentAs, isoTimeOrNull, labelSchema, timeSchema, versionSchema } from '../api/wire.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

const kindSchema = z.enum(alertKinds);

const webhookSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z
    .array(kindSchema)
    .nullable()
    .describe('Events that it receives. Null: all that concern it, except `request.completed`.'),
  status: z
    .enum(['on', 'paused', 'failed'])
    .describe('`failed`: disabled by the gateway after three days without a successful delivery.'),
  source: z.enum(['file', 'store']).describe('`file`: defined in the configuration file, and changed only there.'),
  created_at: timeSchema,
  failing_since: timeSchema.nullable().describe('Start of the current series of failed attempts.'),
  old_secret_until: timeSchema.nullable().describe('Until then, deliveries are also signed with the previous secret.'),
  version: versionSchema,
});

const settings = webhookSchema.omit({ failing_since: true, version: true }).shape;

export const webhookReply = { name: 'Webhook', schema: webhookSchema };
export const webhookListReply = {
  name: 'WebhookList',
  schema: z.strictObject({ data: z.array(webhookSchema) }),
  inside: [webhookReply],
};
export const madeWebhookReply = {
  name: 'CreatedWebhook',
  schema: webhookSchema.extend({ secret: z.string().describe('Signs the deliveries. Shown only once.') }),
};

/** The request bodies for webhook endpoints that can receive these kinds of events. */
export function webhookBodies(kinds: readonly [AlertKind, ...AlertKind[]]) {
  const events = z.array(z.enum(kinds)).min(1).max(kinds.length);
  return {
    made: z.strictObject({
      name: labelSchema,
      url: webhookAddress.describe('URL to which deliveries are sent by POST.'),
      events: events.optional().describe('Events that it receives. Default: all except `request.completed`.'),
    }),
    changed: z.strictObject({
      name: labelSchema.optional(),
      url: webhookAddress.optional(),
      events: events.nullable().optional().describe('Null: all except `request.completed`.'),
      is_on: z
        .boolean()
        .optional()
        .describe('Whether it receives events. `true` also re-enables an endpoint that the gateway disabled.'),
    }),
  };
}

export const rotateSchema = z.strictObject({
  overlap: z
    .union([z.literal('now'), duration])
    .describe('How long both secrets sign: a duration such as 24h, or `now` to use only the new one.'),
});

const attemptSchema = z.strictObject({
  at: timeSchema,
  status: z.int().nullable().describe('HTTP status of the webhook endpoint. Null: no response.'),
  fault: z.enum(deliveryFaults).nullable().describe('Cause of the failure. Null: delivered.'),
  duration_ms: z.number(),
});

const deliverySchema = z.strictObject({
  id: z.string(),
  webhook_id: z.string(),
  event_id: z.string().describe('The same for every attempt.'),
  event: z.string(),
  state: z.enum(deliveryStates),
  attempt_count: z.int(),
  next_at: timeSchema.nullable().describe('Time of the next attempt.'),
  created_at: timeSchema,
  attempts: z.array(attemptSchema).describe('The last attempts, oldest first.'),
});

export const deliveryReply = {
  name: 'Delivery',
  schema: deliverySchema,
  inside: [{ name: 'DeliveryAttempt', schema: attemptSchema }],
};
export const deliveryPageReply = pageOf(deliveryReply);

export function webhookDocument(endpoint: WebhookEndpoint): z.input<typeof webhookSchema> {
  const fields = documentAs(settings, { ...endpoint, events: endpoint.kinds });
  return { ...fields, failing_since: isoTimeOrNull(endpoint.failingSince), version: contentVersion(fields) };
}

export function deliveryDocument(delivery: Delivery): z.input<typeof deliverySchema> {
  const { endpointId: webhookId, kind: event } = delivery;
  const attempts = delivery.attempts.map((attempt) => {
    return documentAs(attemptSchema.shape, { ...attempt, durationMs: attempt.ms });
  });
  return documentAs(deliverySchema.shape, { ...delivery, webhookId, event, attempts });
}

/** Throws `webhook_not_found` unless the webhook endpoint exists and belongs to this account, or to the operators. */
export async function webhookAt(
  { store }: Pick<AdminParts, 'store'>,
  id: string,
  accountId: string | undefined,
): Promise<WebhookEndpoint> {
  const found = await findWebhookEndpoint(store.db, id);
  if (!found || found.accountId !== accountId) throw missing('webhook');
  return found;
}

/** Throws for a webhook endpoint of the configuration file, which can be changed only there. */
export function refuseOfFile({ source, name }: WebhookEndpoint): void {
  if (source === 'file') throw refused(reason('webhook_owned_by_file', { name }));
}
