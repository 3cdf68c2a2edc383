import { z } from 'zod';
import { accountKinds, type AlertKind, alertKinds } from '../core/outbox-event.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { deliveriesOf, findDelivery, redeliver, sendTest } from '../deliveries/delivery-log.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  webhookEndpointsMax,
  webhookEndpointsOf,
  removeWebhookEndpoint,
  rotateSecret,
} from '../deliveries/webhook-endpoints.ts';
import type { AdminCaller } from './caller.ts';
import { type Endpoint, reading, writing } from './endpoint.ts';
import { ownAccount } from './own-account.ts';
import { page, pageQuery } from './page.ts';
import type { AdminParts } from './parts.ts';
import type { Role } from './roles.ts';
import { missing, refused, invalidField } from './sent-values.ts';
import type { Versioned } from './versioned.ts';
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
import { idSchema } from './wire.ts';
import { broken, reason } from '../core/reasons/reason.ts';

/** Whose webhooks an endpoint is about: those of the caller's account, or the operators' own. */
interface WebhookSide {
  readonly path: string;
  /** Stands in the names of its operations. */
  readonly own: '' | 'Own';
  readonly reads: Role;
  readonly writes: Role;
  readonly kinds: readonly [AlertKind, ...AlertKind[]];
  readonly whose: (caller: AdminCaller) => string | undefined;
  /** The same for who wants to change something. */
  readonly mine: (caller: AdminCaller) => string | undefined;
  /** Whether its addresses are held against what it may reach when they are given. */
  readonly isConfined: boolean;
}

const ofAccount: WebhookSide = {
  path: '/account/v1',
  own: 'Own',
  reads: 'account',
  writes: 'account',
  kinds: accountKinds,
  whose: ownAccount,
  mine: (caller) => {
    if (caller.standing !== 'owner') throw new GatewayError('forbidden', { reason: reason('webhooks_need_owner') });
    return ownAccount(caller);
  },
  isConfined: true,
};

const ofOperators: WebhookSide = {
  path: '/admin/v1',
  own: '',
  reads: 'read-only',
  writes: 'operator',
  kinds: alertKinds,
  whose: () => undefined,
  mine: () => undefined,
  isConfined: false,
};

export const webhookEndpoints: readonly Endpoint[] = [ofAccount, ofOperators].flatMap((side) => [
  ...keeping(side),
  ...trying(side),
]);

function versioned({ whose }: WebhookSide): Versioned {
  return {
    kind: 'webhook',
    lock: 'webhooks',
    current: async (parts, id, caller) => webhookDocument(await webhookAt(parts, id, whose(caller))),
  };
}

/** Making, seeing, changing and removing them. */
function keeping(side: WebhookSide): readonly Endpoint[] {
  const { path, own, whose, mine } = side;
  const bodies = webhookBodies(side.kinds);
  return [
    reading({
      method: 'GET',
      path: `${path}/webhooks`,
      operationId: `list${own}Webhooks`,
      summary: 'Addresses that are told what happens, without their secrets.',
      access: side.reads,
      reply: webhookListReply,
      run: async ({ parts, caller }) => ({
        data: (await webhookEndpointsOf(parts.store.db, whose(caller))).map(webhookDocument),
      }),
    }),
    writing({
      method: 'POST',
      path: `${path}/webhooks`,
      operationId: `create${own}Webhook`,
      summary: 'Have an address told what happens. The secret that signs is in this reply and nowhere else.',
      access: side.writes,
      body: { name: `New${own}Webhook`, schema: bodies.made },
      reply: madeWebhookReply,
      first: async ({ parts, caller, body: { url } }) => {
        mine(caller);
        if (side.isConfined) await refusePrivate(parts, url);
      },
      run: async ({ parts, caller, body: { name, url, events } }) => {
        const accountId = mine(caller);
        await refuseTooMany(parts, accountId);
        const making = { db: parts.store.db, clock: parts.clock, vault: parts.vault };
        const { receiver, secret } = await createWebhookEndpoint(making, { accountId, name, url, kinds: events });
        const after = webhookDocument(receiver);
        return { reply: { ...after, secret }, change: { kind: 'webhook', id: receiver.id, after } };
      },
    }),
    reading({
      method: 'GET',
      path: `${path}/webhooks/:id`,
      operationId: `get${own}Webhook`,
      summary: 'An address that is told what happens, without its secret.',
      access: side.reads,
      reply: webhookReply,
      run: async ({ parts, caller, id }) => webhookDocument(await webhookAt(parts, id, whose(caller))),
    }),
    writing({
      method: 'PATCH',
      path: `${path}/webhooks/:id`,
      operationId: `change${own}Webhook`,
      versioned: versioned(side),
      summary: 'Change a webhook, pause it or switch it on again; what is left out stays.',
      access: side.writes,
      body: { name: `${own}WebhookChange`, schema: bodies.changed },
      reply: webhookReply,
      first: async ({ parts, caller, id, body: { url } }) => {
        if (!side.isConfined || url === undefined) return;
        const before = await webhookAt(parts, id, mine(caller));
        // One that is there already may be renamed and paused wherever it is.
        if (before.url !== url) await refusePrivate(parts, url);
      },
      run: async ({ parts, caller, id, body: { name, url, events: kinds, is_on: isOn } }) => {
        const before = await webhookAt(parts, id, mine(caller));
        const others = [name, url, kinds].some((said) => said !== undefined);
        if (others) refuseOfFile(before);
        const after = webhookDocument(await changeWebhookEndpoint(parts.store.db, id, { name, url, kinds, isOn }));
        return { reply: after, change: { kind: 'webhook', id, before: webhookDocument(before), after } };
      },
    }),
    writing({
      method: 'DELETE',
      path: `${path}/webhooks/:id`,
      operationId: `remove${own}Webhook`,
      summary: 'Tell an address nothing any more; its log goes with it.',
      access: side.writes,
      reply: webhookReply,
      run: async ({ parts, caller, id }) => {
        const before = await webhookAt(parts, id, mine(caller));
        refuseOfFile(before);
        await removeWebhookEndpoint(parts.store.db, id);
        const document = webhookDocument(before);
        return { reply: document, change: { kind: 'webhook', id, before: document } };
      },
    }),
    writing({
      method: 'POST',
      path: `${path}/webhooks/:id/rotate`,
      operationId: `rotate${own}Webhook`,
      versioned: versioned(side),
      summary: 'Give a webhook another secret; both sign for a while. The new one is in this reply and nowhere else.',
      access: side.writes,
      body: { name: 'SecretOverlap', schema: rotateSchema },
      reply: madeWebhookReply,
      run: async ({ parts, caller, id, body: { overlap } }) => {
        const found = await webhookAt(parts, id, mine(caller));
        refuseOfFile(found);
        const until = parts.clock.now() + (overlap === 'now' ? 0 : overlap);
        const { receiver, secret } = await rotateSecret({ db: parts.store.db, vault: parts.vault }, id, until);
        const after = webhookDocument(receiver);
        return {
          reply: { ...after, secret },
          change: { kind: 'webhook', id, before: webhookDocument(found), after },
        };
      },
    }),
  ];
}

/** What became of what was sent, and sending it again. */
function trying({ path, own, whose, mine, ...side }: WebhookSide): readonly Endpoint[] {
  return [
    writing({
      method: 'POST',
      path: `${path}/webhooks/:id/test`,
      operationId: `test${own}Webhook`,
      summary: 'Have a webhook sent a notice of the kind `webhook.test`. The log says what came of it.',
      access: side.writes,
      reply: deliveryReply,
      run: async ({ parts, caller, id }) => {
        const receiver = await webhookAt(parts, id, mine(caller));
        if (receiver.status !== 'on') throw refused(reason('webhook_disabled'));
        const sent = deliveryDocument(await sendTest({ db: parts.store.db, clock: parts.clock }, receiver));
        return { reply: sent, change: { kind: 'delivery', id: sent.id, after: sent } };
      },
    }),
    reading({
      method: 'GET',
      path: `${path}/deliveries`,
      operationId: `list${own}Deliveries`,
      summary: 'What was sent to webhooks and what came of it, newest first.',
      access: side.reads,
      query: z.strictObject({
        webhook: idSchema.optional().describe('Only those to this one.'),
        state: z.enum(['waiting', 'delivered', 'given-up']).optional(),
        ...pageQuery(z.tuple([z.number(), z.string()])),
      }),
      reply: deliveryPageReply,
      run: async ({ parts, caller, query: { webhook, state, limit, cursor } }) => {
        const before = cursor && { createdAt: cursor[0], id: cursor[1] };
        const filter = { accountId: whose(caller), receiverId: webhook, state, before, limit: limit + 1 };
        const rows = await deliveriesOf(parts.store.db, filter);
        return page(rows, limit, { shown: deliveryDocument, position: ({ createdAt, id }) => [createdAt, id] });
      },
    }),
    writing({
      method: 'POST',
      path: `${path}/deliveries/:id/redeliver`,
      operationId: `redeliver${own}Delivery`,
      summary: 'Send it again, with the same id and the same body.',
      access: side.writes,
      reply: deliveryReply,
      run: async ({ parts: { store }, caller, id }) => {
        const accountId = mine(caller);
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
