import { z } from 'zod';
import { amount as amountSchema } from '../../../platform/config/schema/values/decimal.ts';
import { decimalText, nanoFrom } from '../../../core/money.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import {
  autoTopUpOf,
  chargedThisMonth,
  deleteAutoTopUp,
  monthAt,
  setAutoTopUp,
} from '../../../money/payments/auto-top-up.ts';
import { customerOf, removeCard, type SavedCard, savedCardOf } from '../../../money/payments/saved-cards.ts';
import { managedAccount, ownAccount } from '../api/caller.ts';
import { actionEndpoint, type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { invalidField, refused } from '../api/sent-values.ts';
import { documentAs, isoTime, moneySchema, timeSchema } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';
import { chargeFailureSchema, payable, providerOf } from './payments.ts';

const cardSchema = z.strictObject({
  brand: z.string().describe('For example `visa`.'),
  last4: z.string().describe('The last four digits of its number.'),
  exp_month: z.int(),
  exp_year: z.int(),
});

const settingsSchema = z.strictObject({
  threshold: amountSchema.describe('Charge when the balance is below this. A decimal in quotes.'),
  amount: amountSchema.describe('Amount of each charge, within the limits of a payment.'),
  monthly_max: amountSchema.describe('Most that is charged in a calendar month in UTC.'),
});

const schema = z.strictObject({
  is_offered: z.boolean().describe('Whether payments are enabled.'),
  currency: z.string(),
  amount_min: moneySchema,
  amount_max: moneySchema,
  card: cardSchema.nullable().describe('The saved card. Null: none.'),
  settings: z
    .strictObject({ threshold: moneySchema, amount: moneySchema, monthly_max: moneySchema })
    .nullable()
    .describe('Null: the automatic top-up is off.'),
  charged_this_month: moneySchema.describe('Automatic payments of this month: paid, in flight or with unknown result.'),
  month_ends_at: timeSchema.describe('When the monthly maximum starts again.'),
  pause: z
    .strictObject({ reason: chargeFailureSchema, at: timeSchema })
    .nullable()
    .describe('Set after a failed charge. No more charges are made until the settings or a new card are saved.'),
});

const reply = { name: 'AutoTopUp', schema };

export const autoTopUpEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/auto-top-up', 'getAutoTopUp', 'account', {
    summary: 'Get your saved card and the automatic top-up.',
    reply,
    run: ({ parts, caller }) => document(parts, ownAccount(caller)),
  }),
  writeEndpoint('PUT /account/v1/auto-top-up', 'setAutoTopUp', 'account', {
    summary: 'Set the automatic top-up, and end its pause. It charges the saved card.',
    body: { name: 'AutoTopUpSettings', schema: settingsSchema },
    reply,
    run: async ({ parts, caller, body }) => {
      const accountId = managedAccount(caller, 'payments_need_owner');
      providerOf(parts);
      const amount = payable(parts, body.amount);
      const monthlyMax = nanoFrom(body.monthly_max);
      if (monthlyMax < amount)
        throw invalidField('monthly_max', broken('number_too_small', { min: decimalText(amount) }));
      if (!(await savedCardOf(parts.store.db, accountId))) throw refused(reason('no_saved_card'));
      const settings = { threshold: nanoFrom(body.threshold), amount, monthlyMax };
      return changed(parts, accountId, () =>
        setAutoTopUp(parts.store.db, { ...settings, accountId, by: caller.actor, at: parts.clock.now() }),
      );
    },
  }),
  writeEndpoint('DELETE /account/v1/auto-top-up', 'turnOffAutoTopUp', 'account', {
    summary: 'Turn off the automatic top-up. The saved card stays.',
    reply,
    run: async ({ parts, caller }) => {
      const accountId = managedAccount(caller, 'payments_need_owner');
      return changed(parts, accountId, () => deleteAutoTopUp(parts.store.db, accountId));
    },
  }),
  actionEndpoint('POST /account/v1/card/setup', 'setUpCard', 'account', {
    summary: 'Get the URL of the page where you save a card. It replaces the saved card.',
    reply: { name: 'CardSetup', schema: z.strictObject({ url: z.url() }) },
    run: async ({ parts, caller, address }) => {
      const accountId = managedAccount(caller, 'payments_need_owner');
      const provider = providerOf(parts);
      return provider.setUpCard({
        accountId,
        by: caller.actor,
        customer: await customerOf(parts.store.db, accountId, provider.name),
        savedUrl: `${address.url}/app/billing?card=saved`,
        leftUrl: `${address.url}/app/billing`,
      });
    },
  }),
  writeEndpoint('DELETE /account/v1/card', 'removeCard', 'account', {
    summary: 'Remove the saved card. It is not charged again, and the payment provider forgets it.',
    reply,
    run: async ({ parts, caller }) => {
      const accountId = managedAccount(caller, 'payments_need_owner');
      const { db } = parts.store;
      const before = await savedCardOf(db, accountId);
      await removeCard(db, accountId, parts.clock.now());
      const after = await document(parts, accountId);
      const change = before && { kind: 'card', id: accountId, before: cardDocument(before) };
      return { reply: after, change };
    },
  }),
];

export function cardDocument({ brand, last4, expMonth, expYear }: SavedCard): z.input<typeof cardSchema> {
  return documentAs(cardSchema.shape, { brand, last4, expMonth, expYear });
}

async function changed(parts: AdminParts, accountId: string, write: () => Promise<void>) {
  const { settings: before } = await document(parts, accountId);
  await write();
  const after = await document(parts, accountId);
  const change = {
    kind: 'auto-top-up',
    id: accountId,
    before: before ?? undefined,
    after: after.settings ?? undefined,
  };
  return { reply: after, change };
}

async function document(parts: AdminParts, accountId: string): Promise<z.input<typeof schema>> {
  const { provider, amountMin, amountMax } = parts.payments();
  const { db } = parts.store;
  const now = parts.clock.now();
  const card = await savedCardOf(db, accountId);
  const settings = await autoTopUpOf(db, accountId);
  return {
    is_offered: provider !== undefined,
    currency: parts.currency(),
    amount_min: decimalText(amountMin),
    amount_max: decimalText(amountMax),
    card: card ? cardDocument(card) : null,
    settings: settings
      ? {
          threshold: decimalText(settings.threshold),
          amount: decimalText(settings.amount),
          monthly_max: decimalText(settings.monthlyMax),
        }
      : null,
    charged_this_month: decimalText(await chargedThisMonth(db, accountId, now)),
    month_ends_at: isoTime(monthAt(now).until),
    pause: settings?.pause ? { reason: settings.pause.failure, at: isoTime(settings.pause.at) } : null,
  };
}
