import { mkdtempSync, rmSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { accounts } from '../../src/money/accounts/accounts.ts';
import { createKey } from '../../src/money/accounts/keys.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { parseConfig } from '../../src/platform/config/load.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { startGateway } from '../../src/app/main.ts';
import { knownKinds } from '../../src/serving/upstreams/providers/presets.ts';

/** Messages from the gateway process of a soak to its parent. */
export type SoakMessage =
  | { readonly kind: 'ready'; readonly port: number; readonly key: string }
  | { readonly kind: 'sample'; readonly sample: SoakSample }
  | { readonly kind: 'rest'; readonly problems: readonly string[] };

export interface SoakSample {
  readonly atS: number;
  /** Live heap after a garbage collection. */
  readonly heapMb: number;
  readonly rssMb: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  readonly running: number;
}

const sampleEveryMs = 5000;
const restTimeoutMs = 30_000;
const megabyte = 1024 * 1024;

/**
 * This process runs one gateway. The parent passes the address of the provider, and sends a message when the load is
 * over.
 */
const directory = mkdtempSync(join(tmpdir(), 'gateway-soak-'));
const gateway = await startGateway(loaded(process.argv[2] ?? ''), { env: {} });
const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();
const sampling = setInterval(() => send({ kind: 'sample', sample: sample() }), sampleEveryMs);
send({ kind: 'ready', port: gateway.address.port, key: await newKey() });
process.once('message', () => void finish());

function loaded(providerUrl: string) {
  const text = stringify({
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    log: { level: 'silent' },
    limits: { reader_stall_timeout: '5s', keep_alive_timeout: '2s' },
    upstreams: [
      {
        name: 'soak',
        kind: 'openai',
        base_url: providerUrl,
        max_concurrency: 64,
        timeouts: { first_event: '2s', idle: '2s' },
      },
    ],
    models: [{ id: 'soak', routes: [{ upstream: 'soak' }], price: { input: '1', output: '2' } }],
    accounts: [{ name: 'soak', package: 'standard', credit: '1000000.00' }],
  });
  const parsed = parseConfig(text, { env: {}, fileName: join(directory, 'gateway.yaml'), kinds: knownKinds });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed;
}

async function newKey(): Promise<string> {
  const { store, pepper } = gateway;
  const owner = await accounts(store, systemClock).find('soak');
  if (!owner) throw new Error('the account of the soak is missing');
  return (await createKey({ store, pepper, clock: systemClock }, { accountId: owner.id, name: 'soak' })).secret;
}

function sample(): SoakSample {
  const loop = { loopP99Ms: delays.percentile(99) / 1e6, loopMaxMs: delays.max / 1e6 };
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  delays.reset();
  const memory = { heapMb: heapUsed / megabyte, rssMb: rss / megabyte };
  return { atS: performance.now() / 1000, ...memory, ...loop, running: gateway.alive().exchanges };
}

/** After the load, the gateway must hold no slots, streams or other leftovers. */
async function finish(): Promise<void> {
  clearInterval(sampling);
  const untilMs = performance.now() + restTimeoutMs;
  while (leftovers().length > 0 && performance.now() < untilMs) await new Promise((go) => setTimeout(go, 100));
  const { checks } = await verifyLedger(gateway.store);
  const rows = gateway.store.db.selectFrom('requests').select('id').where('status', 'in', [429, 500]);
  const unexplained = (await rows.execute()).map(({ id }) => `request ${id} ended with 429 or 500`);
  send({ kind: 'rest', problems: [...leftovers(), ...checks.flatMap(({ violations }) => violations), ...unexplained] });
  await gateway.stop({ graceMs: 0 });
  rmSync(directory, { recursive: true });
  process.disconnect();
}

function leftovers(): readonly string[] {
  return Object.entries(gateway.alive()).flatMap(([name, count]) => (count > 0 ? [`${count} ${name} are left`] : []));
}

function send(message: SoakMessage): void {
  process.send?.(message);
}
