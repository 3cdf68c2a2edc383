import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { soakClients } from './soak/clients.ts';
import type { SoakMessage, SoakSample } from './soak/gateway.ts';
import { soakProvider } from './soak/provider.ts';
import { soakVerdict } from './soak/verdict.ts';

/**
 * Runs mixed load on one gateway for some minutes: long and short answers, clients that disconnect or read slowly, a
 * provider that fails. Prints whether memory or the event loop got worse, and whether the gateway left anything behind.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, clients: { type: 'string', default: '80' } },
});
const [minutes, count] = [Number(values.minutes), Number(values.clients)];
if (!(minutes > 0 && count > 0)) throw new Error('usage: node scripts/soak.ts [--minutes 10] [--clients 80]');

const provider = await soakProvider(Math.random);
const gateway = fork(join(import.meta.dirname, 'soak/gateway.ts'), [provider.url], { execArgv: ['--expose-gc'] });
const samples: SoakSample[] = [];
const rest = Promise.withResolvers<readonly string[]>();
const ready = Promise.withResolvers<{ readonly port: number; readonly key: string }>();
gateway.once('exit', (code) => rest.reject(new Error(`the gateway ended with ${code}`)));
gateway.on('message', (message: SoakMessage) => {
  if (message.kind === 'ready') ready.resolve(message);
  else if (message.kind === 'rest') rest.resolve(message.problems);
  else report(message.sample);
});

const clients = soakClients(await ready.promise, count, Math.random);
console.log(['   time', 'heap MB', ' rss MB', 'loop p99', 'loop max', 'running', 'statuses'].join('  '));
await Promise.race([new Promise((go) => setTimeout(go, minutes * 60_000)), rest.promise]);
await clients.stop();
gateway.send('rest');
const problems = await rest.promise;
provider.close();

const verdict = soakVerdict(samples);
console.log(`\nslope      heap ${signed(verdict.heapSlope)} MB/min, rss ${signed(verdict.rssSlope)} MB/min`);
console.log(
  `last third heap ${verdict.heapRatio.toFixed(2)}×, rss ${verdict.rssRatio.toFixed(2)}×, loop delay ${verdict.loopRatio.toFixed(2)}× the first third`,
);
for (const problem of problems) console.log(`left behind: ${problem}`);
const isFine = verdict.isFine && problems.length === 0 && !clients.statuses.has(429) && !clients.statuses.has(500);
console.log(isFine ? 'passed' : 'FAILED');
process.exitCode = isFine ? 0 : 1;

function report(sample: SoakSample): void {
  samples.push(sample);
  const seen = [...clients.statuses].toSorted(([one], [other]) => one - other);
  const columns = [
    `${sample.atS.toFixed(0)} s`.padStart(7),
    sample.heapMb.toFixed(1).padStart(7),
    sample.rssMb.toFixed(0).padStart(7),
    sample.loopP99Ms.toFixed(1).padStart(8),
    sample.loopMaxMs.toFixed(0).padStart(8),
    String(sample.running).padStart(7),
    seen.map(([status, times]) => `${status === 0 ? 'none' : status}:${times}`).join(' '),
  ];
  console.log(columns.join('  '));
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(2)}`;
}
