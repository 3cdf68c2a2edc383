import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LiveOutcome, liveClients } from './fairness/live-clients.ts';
import { type LiveUpstream, liveUpstream } from './fairness/live-upstream.ts';
import { liveModel } from './measure-fairness.ts';
import type { Pace } from './pace.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import { askGateway, type GatewayRun, startGateway } from './targets/gateway.ts';

/** The charges and reports of a gateway that was killed, beside the served calls. Money is in millionths of a dollar. */
export interface MoneyResult {
  /** Answers that arrived whole at the clients, by the usage that each reports. */
  readonly received: Served;
  /** Further calls at the provider, with all their tokens: the kill cut them off. */
  readonly cutOff: Served;
  /** By the charges of the ledger, and by the usage report. */
  readonly charged: number;
  readonly reported: number;
  readonly ledgerIsSound: boolean;
}

export interface Served {
  readonly calls: number;
  readonly cost: number;
}

const streams = 32;
const pauseMs = 50;
const halfWithinMs = 120_000;

/** Sends calls, kills the gateway amid them, starts it again in its folder, and sends as many once more. */
export async function measureMoney(
  stage: BenchStage,
  command: readonly string[],
  { money: { calls } }: Pace,
  progress: Progress,
): Promise<MoneyResult> {
  const upstream = await liveUpstream();
  const directory = mkdtempSync(join(stage.directory, 'money-'));
  const base_url = `http://127.0.0.1:${upstream.port}/v1`;
  const upstreams = [{ name: 'fake', kind: 'openai', base_url, max_concurrency: streams }];
  const run: GatewayRun = { command, directory, settings: { upstreams, models: [liveModel] } };
  progress.say(`money, ${calls} calls, then kill -9`);
  const before = await half(stage, run, upstream, { calls, isKilled: true });
  progress.say(`money, ${calls} calls after the restart`);
  const after = await half(stage, run, upstream, { calls, isKilled: false });
  upstream.close();
  const received = servedIn([...before, ...after]);
  const all = servedIn(upstream.answers);
  return {
    received,
    cutOff: { calls: all.calls - received.calls, cost: all.cost - received.cost },
    ...(await report(command, join(directory, 'gateway.yaml'))),
  };
}

/** Returns the whole answers. */
async function half(
  stage: BenchStage,
  run: GatewayRun,
  upstream: LiveUpstream,
  { calls, isKilled }: { readonly calls: number; readonly isKilled: boolean },
): Promise<readonly LiveOutcome[]> {
  const target = await startGateway(stage, run);
  const until = upstream.answers.length + calls;
  const deadline = performance.now() + halfWithinMs;
  const clients = liveClients([{ to: target.address, streams, pauseMs }]);
  while (upstream.answers.length < until) {
    if (performance.now() > deadline)
      throw new Error(`the gateway sent less than ${calls} calls in ${halfWithinMs} ms`);
    await delay(10);
  }
  if (isKilled) process.kill(-target.pid, 'SIGKILL');
  await clients.stop();
  await target.stop();
  return clients.outcomes.flat().filter(({ isAnswered }) => isAnswered);
}

async function report(command: readonly string[], configFile: string) {
  const ask = (...words: string[]) => askGateway(command, [...words, '--config', configFile]);
  const usage = (await ask('usage')) as { total: { cost: string } };
  const entries = (await ask('ledger', 'list', '--account', 'bench', '--limit', '10000')) as LedgerEntry[];
  const { isSound } = (await ask('ledger', 'verify')) as { isSound: boolean };
  const charges = entries.filter(({ kind }) => kind.startsWith('charge'));
  return {
    charged: millionths(-charges.reduce((sum, { amount }) => sum + Number(amount), 0)),
    reported: millionths(Number(usage.total.cost)),
    ledgerIsSound: isSound,
  };
}

interface LedgerEntry {
  readonly kind: string;
  readonly amount: string;
}

function servedIn(answers: readonly { readonly tokens: number }[]): Served {
  return { calls: answers.length, cost: answers.reduce((sum, { tokens }) => sum + tokens, 0) };
}

function millionths(dollars: number): number {
  return Math.round(dollars * 1e6);
}
