import type { Command } from 'commander';
import colors from 'picocolors';
import { openPepper } from '../accounts/pepper.ts';
import { deliveryDocument, webhookDocument } from '../admin/webhook-documents.ts';
import { secretVault } from '../catalog/secret-vault.ts';
import { webhookAddress } from '../config/webhooks.ts';
import { systemClock } from '../core/clock.ts';
import { accountKinds, type AlertKind, alertKinds } from '../core/outbox-event.ts';
import { addressCheck } from '../deliveries/address-check.ts';
import { deliveriesOf, findDelivery, redeliver, sendTest } from '../deliveries/delivery-log.ts';
import {
  createWebhookEndpoint,
  type WebhookEndpoint,
  webhookEndpointsOf,
  removeWebhookEndpoint,
} from '../deliveries/webhook-endpoints.ts';
import type { Store } from '../store/store.ts';
import { accountOf } from './account-of.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { problemOf } from './option-values.ts';
import { answer, type Cell, CliError, table } from './output.ts';
import { relativeText } from './time-text.ts';

interface WebhookOwner {
  readonly account?: string;
}

/** Webhook endpoints of the operators, or of an account. */
export function registerWebhooks(program: Command): void {
  const noun = program.command('webhooks').description('Manage webhook endpoints.');
  const command = (name: string, words: string) =>
    noun
      .command(name)
      .description(words)
      .option('--account <account>', 'account, by name or id; default: the endpoints of the operators');
  command('list', 'List webhook endpoints, without their secrets.').action(list);
  command('add', 'Create a webhook endpoint and print its signing secret once.')
    .argument('<url>', 'address that receives the events')
    .requiredOption('--name <name>', 'name to recognise the endpoint by')
    .option('--events <kinds>', 'events to send, separated by commas; default: all')
    .action(add);
  command('remove', 'Remove a webhook endpoint.').argument('<webhook>', 'id or name').action(remove);
  command('test', 'Send a test event. A gateway must be running.').argument('<webhook>', 'id or name').action(test);
  command('deliveries', 'List the latest deliveries and their results.').action(deliveries);
  noun
    .command('redeliver')
    .description('Send a delivery again.')
    .argument('<delivery>', 'delivery id, as `deliveries` shows it')
    .action(resend);
}

async function list({ account }: WebhookOwner, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const found = await webhookEndpointsOf(store.db, await accountIdOf(store, account));
    const none = 'No webhook endpoints yet. Add one: chat-gateway webhooks add https://… --name ops';
    answer(command, {
      json: found.map(webhookDocument),
      text: () => (found.length === 0 ? none : webhookTable(found)),
    });
  });
}

async function add(
  url: string,
  options: WebhookOwner & { name: string; events?: string },
  command: Command,
): Promise<void> {
  const address = webhookAddress.safeParse(url);
  if (!address.success) throw new CliError('invalid_webhook_address', { problem: problemOf(address) }, { exitCode: 2 });
  await withStore(command, async (store, target) => {
    const accountId = await accountIdOf(store, options.account);
    if (accountId !== undefined) await rejectPrivate(address.data, target.webhooksAllow);
    const kinds = kindsOf(options.events, accountId === undefined ? alertKinds : accountKinds);
    const vault = secretVault(await openPepper(store, target.secrets()));
    const made = await audited(store, 'createWebhook', async (inside) => {
      const making = { db: inside.db, clock: systemClock, vault };
      const result = await createWebhookEndpoint(making, { accountId, name: options.name, url: address.data, kinds });
      const { endpoint } = result;
      return { result, change: { kind: 'webhook', id: endpoint.id, after: webhookDocument(endpoint) } };
    });
    answer(command, {
      json: { ...webhookDocument(made.endpoint), secret: made.secret },
      text: () =>
        `Created the webhook ${made.endpoint.name} (${made.endpoint.id}).\n\n${colors.bold('Signing secret')}, shown only once: ${colors.green(made.secret)}`,
    });
  });
}

async function remove(reference: string, { account }: WebhookOwner, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const endpoint = await endpointOf(store, reference, account);
    if (endpoint.source === 'file') throw new CliError('webhook_in_file', { webhook: endpoint.name });
    await audited(store, 'removeWebhook', async (inside) => {
      await removeWebhookEndpoint(inside.db, endpoint.id);
      const change = { kind: 'webhook', id: endpoint.id, before: webhookDocument(endpoint) };
      return { result: undefined, change };
    });
    answer(command, { json: webhookDocument(endpoint), text: () => `Removed the webhook ${endpoint.name}.` });
  });
}

async function test(reference: string, { account }: WebhookOwner, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const endpoint = await endpointOf(store, reference, account);
    const sent = await store.transaction((tx) => sendTest({ db: tx, clock: systemClock }, endpoint));
    answer(command, {
      json: deliveryDocument(sent),
      text: () =>
        `A running gateway will send the delivery ${sent.id}. See the result: chat-gateway webhooks deliveries`,
    });
  });
}

const shownMax = 50;

async function deliveries({ account }: WebhookOwner, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const accountId = await accountIdOf(store, account);
    const found = await deliveriesOf(store.db, { accountId, limit: shownMax });
    const now = systemClock.now();
    const rows = found.map((each): Cell[] => [
      each.kind,
      each.endpointId,
      each.state,
      String(each.attemptCount),
      String(each.attempts.at(-1)?.status ?? each.attempts.at(-1)?.fault ?? ''),
      relativeText(each.createdAt, now),
      each.id,
    ]);
    answer(command, {
      json: found.map(deliveryDocument),
      text: () =>
        rows.length === 0
          ? 'No deliveries yet. Send a test: chat-gateway webhooks test WEBHOOK'
          : table(['event', 'webhook', 'state', 'attempts', 'last response', 'created', 'id'], rows),
    });
  });
}

async function resend(id: string, _options: object, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const found = await findDelivery(store.db, id);
    if (!found) throw new CliError('delivery_not_found', { delivery: id });
    await store.transaction((tx) => redeliver(tx, id));
    answer(command, {
      json: deliveryDocument(found),
      text: () => `A running gateway will send ${found.eventId} again.`,
    });
  });
}

/** Throws for a private address: nothing would be delivered. Operators' webhooks are checked at delivery instead. */
async function rejectPrivate(url: string, allow: readonly string[]): Promise<void> {
  if (!(await addressCheck({ clock: systemClock }).isRefused(url, allow))) return;
  throw new CliError('webhook_address_private', { host: new URL(url).hostname });
}

async function accountIdOf(store: Store, account: string | undefined): Promise<string | undefined> {
  return account === undefined ? undefined : (await accountOf(store, account)).id;
}

async function endpointOf(store: Store, reference: string, account: string | undefined): Promise<WebhookEndpoint> {
  const all = await webhookEndpointsOf(store.db, await accountIdOf(store, account));
  const found = all.filter(({ id, name }) => id === reference || name === reference);
  const [endpoint] = found;
  if (endpoint && found.length === 1) return endpoint;
  if (!endpoint) throw new CliError('webhook_not_found', { webhook: reference });
  const ids = found.map(({ id }) => id).join(', ');
  throw new CliError('webhook_ambiguous', { webhook: reference, count: found.length, ids });
}

function kindsOf(text: string | undefined, allowed: readonly AlertKind[]): readonly AlertKind[] | undefined {
  return text?.split(',').map((word) => {
    const kind = allowed.find((each) => each === word.trim());
    if (kind) return kind;
    throw new CliError('invalid_event', { event: word, events: allowed.join(', ') }, { exitCode: 2 });
  });
}

function webhookTable(endpoints: readonly WebhookEndpoint[]): string {
  const rows = endpoints.map((each): Cell[] => [
    each.name,
    each.url,
    each.kinds?.join(', ') ?? 'all',
    each.status === 'on' ? { text: 'on', paint: colors.green } : { text: each.status, paint: colors.yellow },
    each.source,
    each.id,
  ]);
  return table(['name', 'address', 'events', 'state', 'source', 'id'], rows);
}
