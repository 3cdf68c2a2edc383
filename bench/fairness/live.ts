import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ruled } from '../ruled.ts';
import { stringify } from 'yaml';
import type { Gateway } from '../../src/app/gateway.ts';
import { startGateway } from '../../src/app/main.ts';
import { jainIndex } from '../../src/serving/routing/queue/jain-index.ts';
import { makeKey } from '../../test/keys.ts';
import { loadedConfig } from '../../test/gateways/loaded-config.ts';
import { median, quantiles } from '../statistics.ts';
import { shareError } from './figures.ts';
import { type LiveClients, liveClients } from './live-clients.ts';
import { type LiveUpstream, liveUpstream, meanServiceMs } from './live-upstream.ts';
import { type ServedAccount, servedAccounts } from './served-accounts.ts';

/** A whole gateway in front of a slow provider: a hog of 500 streams, busy accounts of two packages, light accounts. */
const crowds = [
  { name: 'hog', accounts: 1, streams: 500, pauseMs: 0, weight: 1 },
  { name: 'busy', accounts: 8, streams: 20, pauseMs: 0, weight: 1 },
  { name: 'gold', accounts: 2, streams: 40, pauseMs: 0, weight: 2 },
  { name: 'light', accounts: 10, streams: 1, pauseMs: 2000, weight: 1 },
] as const;
const slots = 24;
const warmupMs = 6000;
const measureMs = 30_000;
const sampleEveryMs = 20;

const accountNames = crowds.flatMap((crowd) =>
  Array.from({ length: crowd.accounts }, (_, index) => ({ crowd, account: `${crowd.name}-${index}` })),
);
await main();

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'chat-gateway-fairness-'));
  const upstream = await liveUpstream();
  try {
    const gateway = await startGateway(loadedConfig(stringify(configuration(upstream)), directory), { env: {} });
    const clients = await startClients(gateway);
    await delay(warmupMs);
    const sinceMs = Date.now();
    const busyShare = await sampleBusySlots(gateway);
    const served = await servedAccounts(gateway.store, { sinceMs, untilMs: sinceMs + measureMs });
    report(served, busyShare, clients);
    await clients.stop();
    await gateway.stop({ graceMs: 1000 });
  } finally {
    upstream.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function startClients(gateway: Gateway): Promise<LiveClients> {
  const groups = accountNames.map(async ({ crowd, account }) => {
    const { secret } = await makeKey(gateway, { account, name: 'bench' });
    return { to: { port: gateway.address.port, key: secret }, streams: crowd.streams, pauseMs: crowd.pauseMs };
  });
  return liveClients(await Promise.all(groups));
}

/** Requests always wait here, so every slot should be busy. */
async function sampleBusySlots(gateway: Gateway): Promise<number> {
  const until = Date.now() + measureMs;
  const samples: number[] = [];
  while (Date.now() < until) {
    await delay(sampleEveryMs);
    samples.push(gateway.inFlight().answers / slots);
  }
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

function report(served: ReadonlyMap<string, ServedAccount>, busyShare: number, { outcomes }: LiveClients): void {
  const of = (...names: string[]) =>
    accountNames.flatMap(({ crowd, account }) => {
      const found = served.get(account);
      return names.includes(crowd.name) && found ? [{ ...found, weight: crowd.weight }] : [];
    });
  const backlogged = of('hog', 'busy', 'gold');
  const busyP99s = of('busy').map(({ waitsMs }) => quantiles(waitsMs).p99);
  const busyWaits = of('busy').flatMap(({ waitsMs }) => waitsMs);
  const lightP99 = quantiles(of('light').flatMap(({ waitsMs }) => waitsMs)).p99 / meanServiceMs;
  const jain = jainIndex(backlogged.map((account) => account.served / account.weight));
  const waitRatio = Math.max(...busyP99s) / median(busyP99s);
  const starved = busyWaits.filter((waitMs) => waitMs > 10 * median(busyWaits)).length;
  const strange = [...new Set(outcomes.flat().map(({ status }) => status))].filter((status) => status !== 200);
  const rows: readonly (readonly [title: string, value: string, aim: string, isMet: boolean])[] = [
    ['Jain’s index', jain.toFixed(3), '≥ 0.97', jain >= 0.97],
    ['weighted share error', percent(shareError(backlogged)), '≤ 3 %', shareError(backlogged) <= 0.03],
    ['light account’s wait, p99, in mean service times', lightP99.toFixed(3), '≤ 1', lightP99 <= 1],
    ['p99 of the wait, worst account to median account', waitRatio.toFixed(3), '≤ 1.5', waitRatio <= 1.5],
    ['starved requests', String(starved), '0', starved === 0],
    ['slots busy while a request waits', percent(busyShare), '≥ 98 %', busyShare >= 0.98],
    ['statuses other than 200', strange.join(', ') || 'none', 'none', strange.length === 0],
  ];
  const lines = rows.map(([title, value, aim, isMet]) => [title, value, aim, isMet ? 'yes' : 'NO']);
  console.log(ruled([['live', 'fair queue', 'aim', 'met'], ...lines]));
  process.exitCode = rows.every(([, , , isMet]) => isMet) ? 0 : 1;
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

function configuration(upstream: LiveUpstream): object {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    log: { level: 'silent' },
    upstreams: [
      { name: 'slow', kind: 'openai', base_url: `http://127.0.0.1:${upstream.port}/v1`, max_concurrency: slots },
    ],
    models: [
      { id: 'live', max_output_tokens: 1000, routes: [{ upstream: 'slow' }], price: { input: '1', output: '1' } },
    ],
    packages: [1, 2].map((weight) => ({ name: `weight-${weight}`, models: ['*'], weight })),
    accounts: accountNames.map(({ crowd, account }) => ({
      name: account,
      package: `weight-${crowd.weight}`,
      credit: '1000000.00',
    })),
  };
}
