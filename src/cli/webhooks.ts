import type { Command } from 'commander';
import { colors } from './colors.ts';
import type { AccountId } from '../money/accounts/ids.ts';
import type { deliveryDocument, webhookDocument } from '../manage/admin/webhooks/webhook-documents.ts';
import { webhookEndpoints } from '../manage/admin/webhooks/webhooks.ts';
import { systemClock } from '../core/time/clock.ts';
import { findDelivery } from '../operate/notifications/delivery-log.ts';
import type { Store } from '../platform/store/store.ts';
import { accountOf } from './accounts/account-of.ts';
import { type EndpointCaller, withAdmin } from './admin-call.ts';
import { answer, type Cell, CliError, table } from './terminal/output.ts';
import { relativeText } from './terminal/time-text.ts';

type WebhookDocument = ReturnType<typeof webhookDocument>;
type DeliveryDocument = ReturnType<typeof deliveryDocument>;

interface WebhookOwner {
  readonly account?: string;
}

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
  await withAdmin(command, async (call, store) => {
    const found = await endpointsOf(call, await scopeOf(store, account));
    const none = 'No webhook endpoints yet. Add one: chat-gateway webhooks add https://… --name ops';
    answer(command, { json: found, text: () => (found.length === 0 ? none : webhookTable(found)) });
  });
}

async function add(
  url: string,
  options: WebhookOwner & { name: string; events?: string },
  command: Command,
): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { own, account } = await scopeOf(store, options.account);
    const events = options.events?.split(',').map((word) => word.trim());
    const body = { name: options.name, url, events };
    const request = { body, account, withSecret: true };
    const made = await call<WebhookDocument & { secret: string }>(webhookEndpoints, `create${own}Webhook`, request);
    answer(command, {
      json: made,
      text: () =>
        `Created the webhook ${made.name} (${made.id}).\n\n${colors.bold('Signing secret')}, shown only once: ${colors.green(made.secret)}`,
    });
  });
}

async function remove(reference: string, options: WebhookOwner, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const scope = await scopeOf(store, options.account);
    const { id } = await endpointOf(call, scope, reference);
    const removed = await call<WebhookDocument>(webhookEndpoints, `remove${scope.own}Webhook`, { ...scope, id });
    answer(command, { json: removed, text: () => `Removed the webhook ${removed.name}.` });
  });
}

async function test(reference: string, options: WebhookOwner, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const scope = await scopeOf(store, options.account);
    const { id } = await endpointOf(call, scope, reference);
    const sent = await call<DeliveryDocument>(webhookEndpoints, `test${scope.own}Webhook`, { ...scope, id });
    answer(command, {
      json: sent,
      text: () =>
        `A running gateway will send the delivery ${sent.id}. See the result: chat-gateway webhooks deliveries`,
    });
  });
}

const shownMax = '50';

async function deliveries(options: WebhookOwner, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { own, account } = await scopeOf(store, options.account);
    const request = { account, query: { limit: shownMax } };
    const { data } = await call<{ data: DeliveryDocument[] }>(webhookEndpoints, `list${own}Deliveries`, request);
    const now = systemClock.now();
    const rows = data.map((each): Cell[] => [
      each.event,
      each.webhook_id,
      each.state,
      String(each.attempt_count),
      String(each.attempts.at(-1)?.status ?? each.attempts.at(-1)?.fault ?? ''),
      relativeText(Date.parse(each.created_at), now),
      each.id,
    ]);
    answer(command, {
      json: data,
      text: () =>
        rows.length === 0
          ? 'No deliveries yet. Send a test: chat-gateway webhooks test WEBHOOK'
          : table(['event', 'webhook', 'state', 'attempts', 'last response', 'created', 'id'], rows),
    });
  });
}

async function resend(id: string, _options: object, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const account = (await findDelivery(store.db, id))?.accountId as AccountId | undefined;
    const operation = account === undefined ? 'redeliverDelivery' : 'redeliverOwnDelivery';
    const sent = await call<DeliveryDocument>(webhookEndpoints, operation, { id, account });
    answer(command, { json: sent, text: () => `A running gateway will send ${sent.event_id} again.` });
  });
}

/** The operators, or the owners of an account. `own` is a part of their operation ids. */
interface WebhookScope {
  readonly own: '' | 'Own';
  readonly account: AccountId | undefined;
}

async function scopeOf(store: Store, reference: string | undefined): Promise<WebhookScope> {
  if (reference === undefined) return { own: '', account: undefined };
  return { own: 'Own', account: (await accountOf(store, reference)).id };
}

async function endpointsOf(call: EndpointCaller, { own, account }: WebhookScope): Promise<readonly WebhookDocument[]> {
  return (await call<{ data: WebhookDocument[] }>(webhookEndpoints, `list${own}Webhooks`, { account })).data;
}

async function endpointOf(call: EndpointCaller, scope: WebhookScope, reference: string): Promise<WebhookDocument> {
  const found = (await endpointsOf(call, scope)).filter(({ id, name }) => id === reference || name === reference);
  const [endpoint] = found;
  if (endpoint && found.length === 1) return endpoint;
  if (!endpoint) throw new CliError('webhook_not_found', { webhook: reference });
  const ids = found.map(({ id }) => id).join(', ');
  throw new CliError('webhook_ambiguous', { webhook: reference, count: found.length, ids });
}

function webhookTable(endpoints: readonly WebhookDocument[]): string {
  const rows = endpoints.map((each): Cell[] => [
    each.name,
    each.url,
    each.events?.join(', ') ?? 'all',
    each.status === 'on' ? { text: 'on', paint: colors.green } : { text: each.status, paint: colors.yellow },
    each.source,
    each.id,
  ]);
  return table(['name', 'address', 'events', 'state', 'source', 'id'], rows);
}
