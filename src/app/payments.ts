import type { AdminParts } from '../manage/admin/parts.ts';
import type { Config } from '../platform/config/config.ts';
import type { Clock } from '../core/time/clock.ts';
import { nanoFrom } from '../core/money.ts';
import type { Route } from '../serving/http/route.ts';
import { cardDocument } from '../manage/admin/money/auto-top-up.ts';
import { recordChange } from '../manage/admin/api/audit.ts';
import { PeriodicTasks } from '../core/time/periodic-tasks.ts';
import { runAutoTopUps } from '../money/payments/auto-top-up-job.ts';
import type { CardSetUp, PaymentProvider } from '../money/payments/payment-provider.ts';
import { saveCard, savedCardOf } from '../money/payments/saved-cards.ts';
import { joined } from '../platform/store/joined.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';
import { logRepeated } from '../operate/telemetry/logs/repeated-error.ts';
import { bookPaymentEvent } from '../money/payments/payments.ts';
import { stripe } from '../money/payments/stripe.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../platform/store/store.ts';

/** The payment provider and the limits of the current configuration. */
export function paymentTerms({ payments }: Config, clock: Clock): ReturnType<AdminParts['payments']> {
  return {
    provider: payments.stripe && stripe(payments.stripe, clock),
    amountMin: nanoFrom(payments.amountMin),
    amountMax: nanoFrom(payments.amountMax),
  };
}

/** The webhook of the payment provider, authenticated by its signature. */
export function paymentRoutes(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly terms: AdminParts['payments'];
  readonly seller: AdminParts['seller'];
}): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/payments/stripe',
      handle: async (exchange) => {
        const { provider } = parts.terms();
        if (!provider) throw new GatewayError('not-found');
        const event = provider.decodeWebhook(await exchange.readBytes(), (name) => exchange.header(name));
        if (event?.kind === 'card-set-up') await saveSetUpCard({ ...parts, provider, id: exchange.id }, event);
        else if (event) await bookPaymentEvent(parts.store, parts.clock, event, parts.seller());
        exchange.json(200, { received: true });
      },
    },
  ];
}

interface CardSaving {
  readonly store: Store;
  readonly clock: Clock;
  readonly provider: PaymentProvider;
  /** The id of the webhook's request. */
  readonly id: string;
}

/** Reads the card before the transaction. If the provider cannot be reached, it repeats its webhook. */
async function saveSetUpCard({ store, clock, provider, id }: CardSaving, report: CardSetUp): Promise<void> {
  const card = await provider.cardOf(report);
  if (!card) return;
  const { accountId, by, setup } = report;
  await store.transaction(async (tx) => {
    const at = clock.now();
    const before = await savedCardOf(tx, accountId);
    if (!(await saveCard(tx, { accountId, provider: provider.name, by, setup, card, at }))) return;
    const occasion = { at, actor: by, role: 'account', action: 'saveCard', requestId: id, account: accountId };
    const after = cardDocument(card);
    const change = { kind: 'card', id: accountId, before: before && cardDocument(before), after };
    await recordChange(joined(store, tx), change, occasion);
  });
}

/** How often due automatic payments are looked for. An owner with a low balance waits about this long. */
const topUpsEveryMs = 3000;

interface AutoTopUpJobParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Config;
}

/** Makes automatic payments. Every process runs it: they agree through the store. Without a provider it does nothing. */
export function autoTopUps({ store, clock, log, config }: AutoTopUpJobParts) {
  const onError = logRepeated(log, clock, 'an automatic payment could not be made');
  const tasks = new PeriodicTasks(clock, onError);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const { provider } = paymentTerms(config(), clock);
    const { signal } = stopping;
    const { currency, seller } = config();
    if (provider) await runAutoTopUps({ store, clock, provider, currency, seller, onError, signal });
  };
  return {
    start: () =>
      tasks.every(topUpsEveryMs, () => {
        running = run();
        return running;
      }),
    async stop() {
      tasks.stop();
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
}
