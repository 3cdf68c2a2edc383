import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import type { ChatOutcome } from '../chat-client.ts';
import { type GatewayProcess, type GatewayStart, startGatewayProcess } from '../crash/processes.ts';
import { chunk, type FakeProvider, fakeProvider, finish, type gate, sse, usage } from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import { newDatabase } from '../stores/stores.ts';

/** Gateways in separate processes on one PostgreSQL, with a scripted provider. */
export interface IdempotencyStage {
  readonly provider: FakeProvider;
  readonly store: Store;
  readonly key: string;
  start(options?: Pick<GatewayStart, 'failpoint'>): Promise<GatewayProcess>;
  tearDown(): Promise<void>;
}

export async function setUpGateways(): Promise<IdempotencyStage> {
  const [database, provider] = [await newDatabase(), await fakeProvider()];
  const directory = mkdtempSync(join(tmpdir(), 'gateway-asked-'));
  const secret = 'the gateways of this test share one secret';
  const config = join(directory, 'gateway.yaml');
  const settings = {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    secret,
    database,
    log: { level: 'error' },
    upstreams: [{ name: 'fake', kind: 'openai', base_url: provider.url, max_concurrency: 100 }],
    models: [
      { id: 'other', routes: [{ upstream: 'fake' }], price: { input: '1', output: '2' } },
      { id: 'free', routes: [{ upstream: 'fake', model: 'other' }], price: { input: '0', output: '0' } },
      { id: 'vectors', endpoints: ['embeddings'], routes: [{ upstream: 'fake' }], price: { input: '1', output: '0' } },
    ],
    accounts: [{ name: 'tester', package: 'standard', credit: '1000' }],
  };
  writeFileSync(config, stringify(settings));
  const store = await openStore({ database });
  const gateways: GatewayProcess[] = [];
  const start: IdempotencyStage['start'] = async (options) => {
    const gateway = await startGatewayProcess({ name: `gateway ${gateways.length}`, config, ...options });
    gateways.push(gateway);
    return gateway;
  };
  // The first gateway creates the tables and the account.
  const first = await start();
  const pepper = await openPepper(store, { data: directory, secret });
  const { secret: key } = await makeKey({ store, pepper }, { account: 'tester', name: 'test' });
  let spare: GatewayProcess | undefined = first;
  return {
    provider,
    store,
    key,
    async start(options) {
      const started = options ? undefined : spare;
      if (started) spare = undefined;
      return started ?? start(options);
    },
    async tearDown() {
      for (const gateway of gateways) await gateway.kill();
      await store.close();
      await provider.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** An answer of two words. The second one is sent when the gate is open. */
export function answersWith(provider: FakeProvider, open: ReturnType<typeof gate>): void {
  const steps = [chunk({ role: 'assistant', content: 'one' }), open.opened, chunk({ content: ' two' })];
  provider.respond('other', sse([...steps, finish('stop'), usage(10, 10), '[DONE]']));
}

/** The record of a request, which is written shortly after its answer. */
export async function recordOf(store: Store, { id }: Pick<ChatOutcome, 'id'>) {
  return expect
    .poll(() => findRequest(store, id), { message: `the record of request ${id}` })
    .toBeDefined()
    .then(async () => (await findRequest(store, id))!);
}

/** Waits until `count` requests are charged, and returns their ids. */
export async function chargesOf(store: Store, count: number): Promise<readonly string[]> {
  const charges = async () =>
    (await store.db.selectFrom('transfers').select('reference').where('kind', '=', 'charge').execute()).map(
      ({ reference }) => reference,
    );
  await expect.poll(charges, { message: 'the requests that were charged' }).toHaveLength(count);
  return charges();
}

/** The charge of a request in nano-units, or `undefined`. */
export async function chargeOf(store: Store, { id }: Pick<ChatOutcome, 'id'>): Promise<bigint | undefined> {
  const { amount } =
    (await store.db
      .selectFrom('transfers')
      .select('amount')
      .where('kind', '=', 'charge')
      .where('reference', '=', id)
      .executeTakeFirst()) ?? {};
  return amount === undefined ? undefined : -BigInt(amount);
}
