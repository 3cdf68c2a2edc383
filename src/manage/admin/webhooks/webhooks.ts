import { z } from 'zod';
import { accountKinds, type AlertKind, alertKinds } from '../../../core/outbox-event.ts';
import { deliveryStates } from '../../../operate/notifications/delivery.ts';
import { deliveriesOf, findDelivery, redeliver, sendTest } from '../../../operate/notifications/delivery-log.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  webhookEndpointsMax,
  webhookEndpointsOf,
  removeWebhookEndpoint,
  rotateSecret,
} from '../../../operate/notifications/webhooks/webhook-endpoints.ts';
import { type AdminCaller, ownAccount, type Role, managedAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused, invalidField } from '../api/sent-values.ts';
import type { Versioned } from '../api/versioned.ts';
import {
  deliveryDocument,
  deliveryPageReply,
  deliveryReply,
  madeWebhookReply,
  refuseOfFile,
  rotateSchema,
  webhookAt,
  webhookBodies,
  webhookDocument,
  webhookListReply,
  webhookReply,
} from './webhook-documents.ts';
import { idSchema } from '../api/wire.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';

/** The webhook endpoints of the caller's account, or those of the operators. */
interface WebhookSide {
  readonly path: string;
  readonly own: '' | 'Own';
  readonly reads: Role;
  readonly writes: Role;
  readonly kinds: readonly [AlertKind, ...AlertKind[]];
  readonly accountOf: (caller: AdminCaller) => string | undefined;
  /** The same for changes. Throws unless the caller may make them. */
  readonly managedAccountOf: (caller: AdminCaller) => string | undefined;
  /** Whether URLs are checked against the allowed addresses when they are set. */
  readonly isConfined: boolean;
}

const ofAccount: WebhookSide = {
  path: '/account/v1',
  own: 'Own',
  reads: 'account',
  writes: 'account',
  kinds: accountKinds,
  accountOf: ownAccount,
  managedAccountOf: (caller) => managedAccount(caller, 'webhooks_need_owner'),
  isConfined: true,
};

const ofOperators: WebhookSide = {
  path: '/admin/v1',
  own: '',
  reads: 'read-only',
  writes: 'operator',
  kinds: alertKinds,
  accountOf: () => undefined,
  managedAccountOf: () => undefined,
  isConfined: false,
};

export const webhookEndpoints: readonly Endpoint[] = [ofAccount, ofOperators].flatMap((side) => [
  ...creationEndpoints(side),
  ...changeEndpoints(side),
  ...deliveryEndpoints(side),
]);

function versioned({ accountOf }: WebhookSide): Versioned {
  return {
    kind: 'webhook',
    lock: 'webhooks',
    current: async (parts, id, caller) => webhookDocument(await webhookAt(parts, id, accountOf(caller))),
  };
}

function creationEndpoints(side: WebhookSide): readonly Endpoint[] {
  const { path, own, reads, writes, kinds, accountOf, managedAccountOf, isConfined } = side;
  return [
    readEndpoint(`GET ${path}/webhooks`, `list${own}Webhooks`, reads, {
      summary: 'List webhook endpoints, without their secrets.',
      reply: webhookListReply,
      run: async ({ parts, caller }) => ({
        data: (await webhookEndpointsOf(parts.store.db, accountOf(caller))).map(webhookDocument),
      }),
    }),
    writeEndpoint(`POST ${path}/webhooks`, `create${own}Webhook`, writes, {
      summary: 'Create a webhook endpoint. The signing secret is shown only in this reply.',
      body: { name: `New${own}Webhook`, schema: webhookBodies(kinds).made },
      reply: madeWebhookReply,
      first: async ({ parts, caller, body: { url } }) => {
        managedAccountOf(caller);
        if (isConfined) await refusePrivate(parts, url);
      },
      run: async ({ parts, caller, body: { name, url, events } }) => {
        const accountId = managedAccountOf(caller);
        await refuseTooMany(parts, accountId);
        const making = { db: parts.store.db, clock: parts.clock, vault: parts.vault };
        const { endpoint, secret } = await createWebhookEndpoint(making, { accountId, name, url, kinds: events });
        const after = webhookDocument(endpoint);
        return { reply: { ...after, secret }, change: { kind: 'webhook', id: endpoint.id, after } };
      },
    }),
    readEndpoint(`GET ${path}/webhooks/:id`, `get${own}Webhook`, reads, {
      summary: 'Get a webhook endpoint, without its secret.',
      reply: webhookReply,
      run: async ({ parts, caller, id }) => webhookDocument(await webhookAt(parts, id, accountOf(caller))),
    }),
  ];
}

function changeEndpoints(side: WebhookSide): readonly Endpoint[] {
  const { path, own, writes, kinds, managedAccountOf, isConfined } = side;
  return [
    writeEndpoint(`PATCH ${path}/webhooks/:id`, `change${own}Webhook`, writes, {
      versioned: versioned(side),
      summary: 'Change, pause or resume a webhook endpoint. Fields that are left out stay unchanged.',
      body: { name: `${own}WebhookChange`, schema: webhookBodies(kinds).changed },
      reply: webhookReply,
      first: async ({ parts, caller, id, body: { url } }) => {
        if (!isConfined || url === undefined) return;
        const before = await webhookAt(parts, id, managedAccountOf(caller));
        // A URL that stays is not checked again: an existing endpoint can always be renamed and paused.
        if (before.url !== url) await refusePrivate(parts, url);
      },
      run: async ({ parts, caller, id, body: { name, url, events: kinds, is_on: isOn } }) => {
        const before = await webhookAt(parts, id, managedAccountOf(caller));
        const changesSettings = [name, url, kinds].some((field) => field !== undefined);
        if (changesSettings) refuseOfFile(before);
        const after = webhookDocument(await changeWebhookEndpoint(parts.store.db, id, { name, url, kinds, isOn }));
        return { reply: after, change: { kind: 'webhook', id, before: webhookDocument(before), after } };
      },
    }),
    writeEndpoint(`DELETE ${path}/webhooks/:id`, `remove${own}Webhook`, writes, {
      summary: 'Remove a webhook endpoint and its delivery log.',
      reply: webhookReply,
      run: async ({ parts, caller, id }) => {
        const before = await webhookAt(parts, id, managedAccountOf(caller));
        refuseOfFile(before);
        await removeWebhookEndpoint(parts.store.db, id);
        const document = webhookDocument(before);
        return { reply: document, change: { kind: 'webhook', id, before: document } };
      },
    }),
    writeEndpoint(`POST ${path}/webhooks/:id/rotate`, `rotate${own}Webhook`, writes, {
      versioned: versioned(side),
      summary:
        'Rotate the secret of a webhook endpoint. Both secrets sign for a while. The new one is shown only in this reply.',
      body: { name: 'SecretOverlap', schema: rotateSchema },
      reply: madeWebhookReply,
      run: async ({ parts, caller, id, body: { overlap } }) => {
        const before = await webhookAt(parts, id, managedAccountOf(caller));
        refuseOfFile(before);
        const until = parts.clock.now() + (overlap === 'now' ? 0 : overlap);
        const { endpoint, secret } = await rotateSecret({ db: parts.store.db, vault: parts.vault }, id, until);
        const after = webhookDocument(endpoint);
        return {
          reply: { ...after, secret },
          change: { kind: 'webhook', id, before: webhookDocument(before), after },
        };
      },
    }),
  ];
}

function deliveryEndpoints({ path, own, accountOf, managedAccountOf, ...side }: WebhookSide): readonly Endpoint[] {
  return [
    writeEndpoint(`POST ${path}/webhooks/:id/test`, `test${own}Webhook`, side.writes, {
      summary: 'Send a test event of the kind `webhook.test`. The delivery log shows the result.',
      reply: deliveryReply,
      run: async ({ parts, caller, id }) => {
        const endpoint = await webhookAt(parts, id, managedAccountOf(caller));
        if (endpoint.status !== 'on') throw refused(reason('webhook_disabled'));
        const sent = deliveryDocument(await sendTest({ db: parts.store.db, clock: parts.clock }, endpoint));
        return { reply: sent, change: { kind: 'delivery', id: sent.id, after: sent } };
      },
    }),
    readEndpoint(`GET ${path}/deliveries`, `list${own}Deliveries`, side.reads, {
      summary: 'List deliveries to webhook endpoints, newest first.',
      query: z.strictObject({
        webhook: idSchema.optional().describe('Only deliveries to this webhook endpoint.'),
        state: z.enum(deliveryStates).optional(),
        ...pageQuery(z.tuple([z.number(), z.string()])),
      }),
      reply: deliveryPageReply,
      run: async ({ parts, caller, query: { webhook, state, limit, cursor } }) => {
        const before = cursor && { createdAt: cursor[0], id: cursor[1] };
        const filter = { accountId: accountOf(caller), endpointId: webhook, state, before, limit: limit + 1 };
        const rows = await deliveriesOf(parts.store.db, filter);
        return page(rows, limit, { shown: deliveryDocument, position: ({ createdAt, id }) => [createdAt, id] });
      },
    }),
    writeEndpoint(`POST ${path}/deliveries/:id/redeliver`, `redeliver${own}Delivery`, side.writes, {
      summary: 'Redeliver an event, with the same id and the same body.',
      reply: deliveryReply,
      run: async ({ parts: { store }, caller, id }) => {
        const accountId = managedAccountOf(caller);
        const before = await findDelivery(store.db, id);
        if (!before || before.accountId !== accountId) throw missing('delivery');
        await redeliver(store.db, id);
        const after = await findDelivery(store.db, id);
        if (!after) throw missing('delivery');
        const [was, is] = [deliveryDocument(before), deliveryDocument(after)];
        return { reply: is, change: { kind: 'delivery', id, before: was, after: is } };
      },
    }),
  ];
}

async function refuseTooMany({ store }: AdminParts, accountId: string | undefined): Promise<void> {
  if ((await webhookEndpointsOf(store.db, accountId)).length >= webhookEndpointsMax)
    throw refused(reason('too_many_webhooks', { max: webhookEndpointsMax }));
}

async function refusePrivate(parts: AdminParts, url: string): Promise<void> {
  if (await parts.isWebhookRefused(url))
    throw invalidField(
      'url',
      broken('address_not_public'),
      'Send a public address, or ask the operator of this gateway to allow it (`webhooks.allow`).',
    );
}
