import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { call, type Console, inviteUser, owner } from '../test/browser/console.ts';
import { json } from '../test/fakes/fake-provider.ts';
import type { ConfigChange } from '../test/gateways/gateway.ts';
import { makeKey } from '../test/keys.ts';

/** Parts of a gateway that exist only if the configuration file names them. No server listens at these addresses. */
export const everyPart: ConfigChange = (base) => ({
  ...base,
  packages: [{ name: 'standard', models: ['*'], price_factor: '1.25' }],
  mail: {
    host: '127.0.0.1',
    port: 9,
    from: 'gateway@example.com',
    url: 'https://gateway.example.com',
    operators: ['ops@example.com'],
  },
  stored_bodies: {},
  batches: {},
  payments: { stripe: { secret_key: 'sk_sweep', webhook_secret: 'whsec_sweep', base_url: 'http://127.0.0.1:9' } },
  seller: {
    name: 'Example GmbH',
    address: ['Musterstraße 1', '10115 Berlin'],
    country: 'Germany',
    tax_number: 'DE123456789',
    email: 'billing@example.com',
    tax: { name: 'VAT', rate: '19' },
  },
});

const longName = 'A key with a name that is as long as the names of keys may be at most'.slice(0, 64);

/** Creates rows of every kind, and returns the address of one of each. */
export async function furnish(console_: Console): Promise<ReadonlyMap<string, string>> {
  const { gateway, page } = console_;
  const { secret } = await makeKey(gateway.gateway, { account: 'demo', name: longName });
  const sendChat = (model: string) =>
    gateway.post(
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content: 'Hello' }] },
      { authorization: `Bearer ${secret}` },
    );
  for (let count = 0; count < 6; count += 1) await sendChat('plain');
  gateway.provider.respond('thinker', json(400, { error: { message: 'no' } }));
  const refused = await sendChat('thinker');
  const { data: accounts } = await call<{ data: { id: string; name: string }[] }>(page, 'GET', '/admin/v1/accounts');
  const account = accounts.find(({ name }) => name === 'demo')?.id ?? '';
  await furnishPrices(page);
  for (let count = 0; count < 3; count += 1) await sendChat('priced');
  await furnishAccount(page);
  await furnishDocuments(console_);
  const { capped, stored } = await furnishRequests(page, gateway);
  await furnishExtremes(console_);
  const ownBatch = await furnishBatches(gateway, secret);
  const organisation = await furnishOrganisation(page, account);
  const batch = await furnishOperation(page, account);
  const [empty, suspended] = [await newAccount(page, 'empty'), await newAccount(page, 'suspended')];
  await call(page, 'POST', `/admin/v1/accounts/${suspended}/suspend`);
  const request = refused.headers.get('x-gateway-request-id') ?? '';
  const month = new Date().toISOString().slice(0, 'yyyy-mm'.length);
  return new Map([
    ['/app/models/$id', 'plain'],
    ['/app/requests/$id', request],
    ['/app/requests/$capped', capped],
    ['/app/requests/$stored', stored],
    ['/app/batches/$id', ownBatch],
    ['/app/operator/batches/$id', ownBatch],
    ['/app/billing/$id', month],
    ['/app/organisation/$id', month],
    ['/app/operator/requests/$id', request],
    ['/app/operator/organisations/$id', organisation],
    ['/app/operator/upstreams/$id', 'fake'],
    ['/app/operator/models/$id', 'plain'],
    ['/app/operator/accounts/$id', account],
    ['/app/operator/accounts/$empty', empty],
    ['/app/operator/accounts/$suspended', suspended],
    ['/app/operator/codes/$id', batch],
  ]);
}

/** Creates a model with a whole price schedule and a provider cost, and a package with a price factor. */
async function furnishPrices(page: Page): Promise<void> {
  const post = (path: string, body: unknown) => call<unknown>(page, 'POST', `/admin/v1${path}`, body);
  await post('/packages', { name: 'partners', models: ['*'], price_factor: '1.2' });
  await post('/models', {
    id: 'priced',
    routes: [{ upstream: 'fake', model: 'plain', cost: { input: '1', output: '4' } }],
    priced_fields: 'refuse',
    price: {
      input: '1.25',
      cached_input: '0.125',
      output: '10',
      reasoning: '12',
      provider_tools: { web_search: '10' },
      units: { request: '0.001' },
      tiers: [
        { when: { prompt_over: 200_000 }, input: '2.50', cached_input: '0.25', output: '15' },
        { when: { service_tier: 'priority' }, factor: '2' },
        { when: { service_tier: 'batch', region: 'us' }, factor: '0.5' },
      ],
    },
  });
}

async function newAccount(page: Page, name: string): Promise<string> {
  const wish = { name, package: 'standard' };
  return (await call<{ id: string }>(page, 'POST', '/admin/v1/accounts', wish)).id;
}

/** Creates two special requests: one refused by the spend cap of its key, and one with stored bodies. */
async function furnishRequests(page: Page, gateway: Console['gateway']): Promise<Record<'capped' | 'stored', string>> {
  const make = async (wish: object) => (await call<{ secret: string }>(page, 'POST', '/account/v1/keys', wish)).secret;
  const [spent, storing] = [
    await make({ name: 'Spent', spend_cap: '0.000001' }),
    await make({ name: 'Debugging', store_bodies: true }),
  ];
  const sendChat = async (secret: string) => {
    const body = { model: 'plain', messages: [{ role: 'user', content: 'Hello, 你好' }] };
    const reply = await gateway.post('/v1/chat/completions', body, { authorization: `Bearer ${secret}` });
    return reply.headers.get('x-gateway-request-id') ?? '';
  };
  await make({ name: 'Shared', models: ['plain'], spend_cap: '5.00' });
  await sendChat(spent);
  return { capped: await sendChat(spent), stored: await sendChat(storing) };
}

/** Runs a batch in which one line fails, and one that is refused for its lines. Returns the id of the first. */
async function furnishBatches(gateway: Console['gateway'], secret: string): Promise<string> {
  const headers = { authorization: `Bearer ${secret}` };
  const line = (model: string, index: number) => {
    const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
    return JSON.stringify({ custom_id: `line-${index}`, method: 'POST', url: '/v1/chat/completions', body });
  };
  const make = async (models: readonly string[]) => {
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob([models.map(line).join('\n')]), 'questions.jsonl');
    const upload = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
    const { id: input_file_id } = (await upload.json()) as { id: string };
    const order = { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' };
    return String((await gateway.post('/v1/batches', order, headers)).json.id);
  };
  await make(['unknown', 'plain', 'unknown']);
  const id = await make(['plain', 'priced', 'thinker']);
  const state = async () => (await gateway.get(`/v1/batches/${id}`, headers)).json.status;
  while ((await state()) !== 'completed') await new Promise((resolve) => setTimeout(resolve, 100));
  return id;
}

/** Creates names of the maximum length, amounts of the maximum size, and a user who needs a reset link. */
async function furnishExtremes(console_: Console): Promise<void> {
  const { page } = console_;
  const id = await newAccount(page, 'long');
  const shown = 'An account with the longest of all names, 用中文也可以写的账户名称';
  await call(page, 'PATCH', `/admin/v1/accounts/${id}`, { display_name: shown });
  const credit = { kind: 'top_up', amount: '999999999', reference: 'invoice-1', reason: 'An invoice of a whole year' };
  await call(page, 'POST', `/admin/v1/accounts/${id}/credits`, credit);
  const routes = [{ upstream: 'fake', model: 'plain' }];
  const price = { input: '123456.789', output: '0.000001' };
  await call(page, 'POST', '/admin/v1/models', { id: `long/${'model-name-'.repeat(17)}end`, routes, price });
  await inviteUser(console_, id, {
    email: 'grace.with.a.rather.long.address@department.example.com',
    name: 'Grace Hopper',
    password: 'compilers are possible',
  });
}

/** Creates an organisation with limits, an account and the signed-in user as its owner. Returns its id. */
async function furnishOrganisation(page: Page, account: string): Promise<string> {
  const limits = [
    { amount: '500.00', period: 'month' },
    { amount: '5000.00', period: 'total' },
  ];
  const wish = { name: 'university', display_name: 'University of the North', limits };
  const { id } = await call<{ id: string }>(page, 'POST', '/admin/v1/organisations', wish);
  await call(page, 'PATCH', `/admin/v1/accounts/${account}`, { organisation: id, limits: limits.slice(0, 1) });
  const invitation = { email: owner.email, role: 'owner' };
  const path = `/admin/v1/organisations/${id}/invitations`;
  const { link } = await call<{ link: string }>(page, 'POST', path, invitation);
  const token = new URL(link, 'http://localhost').searchParams.get('token') ?? '';
  await call(page, 'POST', `/auth/invitations/${token}/accept`, {});
  await call(page, 'POST', path, { email: 'barbara@example.com', role: 'viewer' });
  return id;
}

async function furnishAccount(page: Page): Promise<void> {
  const post = (path: string, body: unknown) => call<unknown>(page, 'POST', `/account/v1${path}`, body);
  await post('/keys', {
    name: 'Capped',
    spend_cap: '5.00',
    cap_period: 'month',
    models: ['plain'],
    max_concurrency: 2,
    addresses: ['10.0.0.0/8'],
  });
  await post('/webhooks', { name: 'Books', url: 'https://books.example.com/hook', events: ['balance.low'] });
  await post('/webhooks', { name: longName, url: `https://books.example.com/${'long-'.repeat(20)}` });
  await post('/invitations', { email: 'grace@example.com', role: 'viewer' });
  const { data: hooks } = await call<{ data: { id: string }[] }>(page, 'GET', '/account/v1/webhooks');
  for (const { id } of hooks) await post(`/webhooks/${id}/test`, undefined);
}

/** Pays for a top-up and refunds a part of it, as the payment provider would report both. */
async function furnishDocuments({ page, gateway }: Console): Promise<void> {
  const { id } = await call<{ id: string }>(page, 'POST', '/account/v1/payments', { amount: '20.00' });
  const report = async (type: string, object: object) => {
    const body = JSON.stringify({ type, data: { object } });
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', 'whsec_sweep').update(`${time}.${body}`).digest('hex');
    await gateway.postText('/payments/stripe', body, { 'stripe-signature': `t=${time},v1=${signature}` });
  };
  const session = { client_reference_id: id, payment_status: 'paid', amount_total: 2000, currency: 'usd' };
  await report('checkout.session.completed', { ...session, payment_intent: 'pi_sweep' });
  await report('charge.refunded', { payment_intent: 'pi_sweep', amount_refunded: 500, metadata: { payment: id } });
  await call(page, 'PUT', '/account/v1/billing-details', {
    name: '上海示例科技有限公司',
    address: ['浦东新区世纪大道 100 号 环球金融中心 72 楼', '上海 200120'],
    country: '中国',
    tax_number: '91310000MA1FL0X00X',
    email: 'caiwu@example.cn',
  });
}

/** Returns the id of a batch of codes. */
async function furnishOperation(page: Page, account: string): Promise<string> {
  const post = <Reply>(path: string, body: unknown) => call<Reply>(page, 'POST', `/admin/v1${path}`, body);
  const batch = await post<{ id: string; codes: string[] }>('/code-batches', {
    count: 5,
    amount: '10.00',
    note: 'Summer school',
  });
  await post('/code-batches', { count: 2, amount: '1', kind: 'grant', note: longName, package: 'standard' });
  await call(page, 'POST', '/account/v1/redemptions', { code: batch.codes[0] });
  await post('/webhooks', { name: 'Pager', url: 'https://pager.example.com/hook' });
  await post('/mail/test', { to: 'ops@example.com' });
  await post('/tokens', { name: 'Provisioning', role: 'operator' });
  await post(`/accounts/${account}/invitations`, { email: 'edsger@example.com', role: 'owner' });
  return batch.id;
}
