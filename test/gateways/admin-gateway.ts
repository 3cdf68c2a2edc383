import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Account, accounts } from '../../src/money/accounts/accounts.ts';
import { Batches } from '../../src/work/batches/batches.ts';
import { createKey } from '../../src/money/accounts/keys.ts';
import { endpoints } from '../../src/manage/admin/endpoints.ts';
import type { AdminParts } from '../../src/manage/admin/parts.ts';
import type { TokenRole } from '../../src/manage/admin/api/caller.ts';
import { adminRoutes } from '../../src/manage/admin/routes.ts';
import { createToken } from '../../src/manage/admin/api/tokens.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { type SecretVault, secretVault } from '../../src/platform/secrets/secret-vault.ts';
import { applyFile } from '../../src/money/catalog/apply-file.ts';
import { slowDown } from '../../src/manage/console/throttle/throttle.ts';
import { snapshot } from '../../src/money/catalog/snapshot.ts';
import { paymentRoutes } from '../../src/app/payments.ts';
import { PdfThread } from '../../src/money/documents/pdf/pdf-thread.ts';
import { Files } from '../../src/work/files/files.ts';
import { stripe } from '../../src/money/payments/stripe.ts';
import { addressCheck } from '../../src/operate/notifications/webhooks/address-check.ts';
import type { MailSettings } from '../../src/operate/notifications/email/smtp.ts';
import { Mailer } from '../../src/operate/notifications/email/mailer.ts';
import { requestIds } from '../../src/core/request-id.ts';
import { defaultHttpLimits } from '../../src/serving/http/limits.ts';
import { HttpServer } from '../../src/serving/http/server.ts';
import { requestRates } from '../../src/money/requests/request-rates.ts';
import { requestLog } from '../../src/money/requests/request-log.ts';
import { recordWith } from '../fixtures/requests/record.ts';
import type { RequestRecord } from '../../src/money/requests/request-record.ts';
import { retryBudget } from '../../src/serving/routing/calls/retry-budget.ts';
import type { UpstreamReport } from '../../src/serving/routing/upstream-report.ts';
import type { Upstreams } from '../../src/serving/routing/upstreams.ts';
import { openStore, type Store, type StoreLocation } from '../../src/platform/store/store.ts';
import { explain } from '../../src/serving/surfaces/envelope.ts';
import { knownKinds } from '../../src/serving/upstreams/providers/presets.ts';
import { expectEnvelope, expectGatewayHeaders } from '../expectations.ts';
import { type FakeStripe, fakeStripe } from '../fakes/fake-stripe.ts';
import type { GatewayReply } from './gateway.ts';
import { loadedConfig } from './loaded-config.ts';
import { putStore } from '../stores/made-store.ts';
import { systemClock } from '../../src/core/time/clock.ts';

type LiveQueue = ReturnType<Upstreams['queues']>[number];

/** The admin and account APIs on their own store, with a token for every role and two accounts. */
export interface AdminGateway {
  /** The seller of documents that are issued from now on. */
  readonly seller: { now: ReturnType<AdminParts['seller']> };
  readonly store: Store;
  readonly files: Files;
  readonly batches: Batches;
  readonly tokens: Readonly<Record<TokenRole, string>>;
  readonly clock: { at: number };
  /** The queues that the process reports. A test may fill them. */
  readonly queues: LiveQueue[];
  readonly health: UpstreamReport[];
  /** The delays of the sign-in throttle, in ms. */
  readonly pauses: readonly number[];
  readonly stripe: FakeStripe;
  /** The settings of the mail server, if a test sets them. E-mails stay in the store. */
  readonly mailbox: { settings: MailSettings | undefined };
  /** Private addresses that the operator allows for webhooks of accounts. */
  readonly webhooks: { allow: readonly string[] };
  readonly vault: SecretVault;
  /** How bodies are stored, if a test enables that. */
  readonly storedBodies: { terms: ReturnType<AdminParts['storedBodies']> };
  readonly ann: Member;
  readonly bob: Member;
  /** Sends a request, and validates every success against its documented schema. */
  send(method: string, path: string, options?: SendOptions): Promise<GatewayReply>;
  /** Sends a request as an owner, and expects success. */
  owner(method: string, path: string, body?: unknown): Promise<GatewayReply['json']>;
  record(record: Partial<RequestRecord> & Pick<RequestRecord, 'id' | 'accountId' | 'keyId'>): Promise<void>;
  /** Adds money to an account. */
  credit(accountId: string, amount: bigint): Promise<void>;
  stop(): Promise<void>;
}

export interface Member {
  readonly account: Account;
  readonly keyId: string;
  readonly requestId: string;
  readonly token: string;
}

export interface SendOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** The exact body to send, if its bytes matter. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  /** The test provokes an internal error, so a 5xx is allowed. */
  readonly mayBreak?: true;
}

const config = `
upstreams: [{ name: filed, kind: simulated }]
models: [{ id: filed-model, aliases: [filed], description: "Answers anything — 什么都答", routes: [{ upstream: filed, cost: free }], price: free }]
packages: [{ name: standard, models: ["*"] }, { name: none, models: [] }]
accounts: [{ name: filed, package: standard }]
`;

const quota = { accountBatchesMax: 100, accountLinesMax: 1000 };
const fileLimits = { fileBytesMax: 1e6, accountBytesMax: 1e7, accountFilesMax: 100, lineBytesMax: 1e6 };

const tested = { ok: true, asked: 'model_list', status: 200, durationMs: 12.4, error: undefined } as const;

/** Uses its own embedded store, unless another location is given. */
export async function startAdminGateway(location?: StoreLocation): Promise<AdminGateway> {
  const data = await mkdtemp(join(tmpdir(), 'gateway-admin-'));
  await putStore(data);
  const store = await openStore(location ?? { data });
  const time = { at: Date.parse('2026-03-01T00:00:00Z') };
  const clock = { ...systemClock, now: () => time.at, elapsed: () => performance.now() };
  const loaded = loadedConfig(config, data);
  await applyFile(store, loaded.resources, clock);
  await accounts(store, clock).ensure(loaded.config.accounts);
  const pepper = createSecretKey(Buffer.alloc(32, 7));
  const vault = secretVault(pepper);
  const live = await snapshot({ store, config: loaded.config, env: {}, kinds: knownKinds, vault });
  const mailbox: { settings: MailSettings | undefined } = { settings: undefined };
  const mail = new Mailer({
    clock,
    vault,
    settings: () => mailbox.settings,
    siteAt: (host) => live.catalog.site(live.catalog.siteFor(host) ?? ''),
    currency: () => 'USD',
  });
  const storedBodies: AdminGateway['storedBodies'] = { terms: undefined };
  const webhooks: AdminGateway['webhooks'] = { allow: [] };
  // Only `localhost` resolves, so that the test sends no DNS query.
  const addresses = addressCheck({
    clock,
    lookup: (host, _options, callback) =>
      host === 'localhost' ? callback(null, '127.0.0.1', 4) : callback(new Error(`${host} is not known`), '', 0),
  });
  const queues: LiveQueue[] = [];
  const health: UpstreamReport[] = [];
  const pauses: number[] = [];
  const fake = await fakeStripe(clock.now);
  const seller: AdminGateway['seller'] = { now: undefined };
  const files = new Files({ store, clock, vault, newId: requestIds(clock), limits: () => fileLimits });
  const batches = new Batches({
    store,
    newId: requestIds(clock),
    files,
    keepMs: () => 1000,
    quota: () => quota,
  });
  const parts: AdminParts = {
    store,
    files,
    batches,
    clock,
    pepper,
    vault,
    current: () => live,
    refresh: () => Promise.resolve(),
    currency: () => 'USD',
    storedBodies: () => storedBodies.terms,
    isWebhookRefused: (url) => addresses.isRefused(url, webhooks.allow),
    mail,
    upstreams: { report: () => health, queues: () => queues },
    figures: () => ({ requests: 0, retries: retryBudget(() => 0), rates: requestRates(clock.elapsed).read() }),
    sharing: () => Promise.resolve({ own: undefined, members: [] }),
    messagesPrefix: () => '/anthropic',
    system: () => ({
      process: { id: 'process-1', startedAt: time.at },
      build: '20260101-000000',
      file: 'gateway.yaml',
      resources: loaded.resources,
    }),
    test: async (name) => (name === 'filed' ? { ...tested, models: [name] } : undefined),
    ...slowDown({ store, clock, realm: 'codes', pause: async (ms) => void pauses.push(ms) }),
    payments: () => ({
      provider: stripe(fake.settings, clock),
      amountMin: 5_000_000_000n,
      amountMax: 1_000_000_000_000n,
    }),
    seller: () => seller.now,
    pdf: new PdfThread(systemClock),
    signedIn: () => Promise.resolve(undefined),
  };
  const server = new HttpServer({
    routes: [
      ...adminRoutes(parts),
      ...paymentRoutes({ store, clock, terms: () => parts.payments(), seller: () => parts.seller() }),
    ],
    limits: defaultHttpLimits,
    stamp: () => live.version,
    newId: requestIds(clock),
    explain: (error, { id }) => explain(error, id),
    observe: () => {},
    clock,
  });
  const { port } = await server.listen('127.0.0.1', 0);

  const token = async (role: TokenRole, accountId?: Account['id']) =>
    (await createToken(parts, { name: role, role, accountId })).secret;
  const log = requestLog({ store, onDropped: () => {} });
  let credited = 0;
  const record: AdminGateway['record'] = async (more) => {
    log.write(recordWith({ model: 'filed-model', upstream: 'filed', startedAt: time.at, ...more }));
    await log.flush();
  };
  const member = async (name: string): Promise<Member> => {
    const account = await accounts(store, clock).create({ name, packageName: 'standard' });
    const { key } = await createKey(parts, { accountId: account.id, name: 'laptop' });
    const requestId = `request-of-${name}`;
    await record({ id: requestId, accountId: account.id, keyId: key.id });
    const credit = { accountId: account.id, amount: 5n, reference: `ref-${name}`, by: 'test', reason: `for ${name}` };
    await credits(store, clock).grant(credit);
    return { account, keyId: key.id, requestId, token: await token('account', account.id) };
  };
  const [ann, bob] = [await member('ann'), await member('bob')];
  const tokens = {
    owner: await token('owner'),
    operator: await token('operator'),
    'read-only': await token('read-only'),
    account: ann.token,
  };

  const send: AdminGateway['send'] = async (
    method,
    path,
    { token: sent, body, text: bytes, headers, mayBreak } = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(sent !== undefined && { authorization: `Bearer ${sent}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: bytes ?? JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const json = isJson ? JSON.parse(text) : text;
    const reply = { status: response.status, headers: response.headers, text, json };
    expectGatewayHeaders(reply);
    if (!mayBreak) expect(response.status).toBeLessThan(500);
    if (response.ok) expectDocumented(method, path, reply.json);
    return reply;
  };

  return {
    store,
    files,
    batches,
    tokens,
    clock: time,
    queues,
    health,
    mailbox,
    webhooks,
    storedBodies,
    seller,
    vault,
    pauses,
    stripe: fake,
    ann,
    bob,
    send,
    record,
    credit: async (accountId, amount) => {
      const reference = `credit ${++credited}`;
      const credit = { accountId, amount, reference, by: 'test', reason: 'to spend' };
      await credits(store, clock).topUp(credit);
    },
    owner: async (method, path, body) => {
      const reply = await send(method, path, { token: tokens.owner, body });
      expect(reply.text).not.toContain('"error":');
      return reply.json;
    },
    stop: async () => {
      server.destroy();
      await fake.close();
      await log.stop();
      await store.close();
      await rm(data, { recursive: true });
    },
  };
}

/** Expects a 400 whose message matches `words`. */
export function expectRefused(reply: GatewayReply, words: string | RegExp): void {
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
  expect(reply.json.error.message).toMatch(words);
}

function expectDocumented(method: string, target: string, json: unknown): void {
  const [path = ''] = target.split('?');
  const endpoint = endpoints.find(
    (each) => each.method === method && new RegExp(`^${each.path.replace(':id', '[^/]+')}$`).test(path),
  );
  if (endpoint) expect(endpoint.reply.schema.safeParse(json).error).toBeUndefined();
}
