import { ruled } from './ruled.ts';
import type { BenchResult } from './bench-result.ts';
import { figuresOf, figuresTable } from './figures.ts';
import type { LoopReport } from './loop-watch.ts';
import type { Spread } from './measure-cpu.ts';
import {
  type FairnessResult,
  heavyStreams,
  lightAccounts,
  pauseMs,
  scarceServiceMs,
  scarceSlots,
} from './measure-fairness.ts';
import type { LatencyResults } from './measure-latency.ts';
import type { MemoryResult } from './measure-memory.ts';
import type { MoneyResult } from './measure-money.ts';
import type { SharingResult } from './measure-sharing.ts';
import { ownTargets, type TargetName } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** The figures with targets, then the tables behind them, with notes on how to read them. */
export function renderReport(result: BenchResult): string {
  const columns = [...ownTargets, ...(result.peers ?? []).map(({ name }) => name)];
  const parts = [
    figuresOf(result).length > 0 && figuresTable(figuresOf(result)),
    result.cpu && cpuTable(result, columns),
    ...(result.latency ?? []).map((latency) => latencyTable(latency, result.reference, columns)),
    result.blocks && blocksNote(result.blocks),
    result.memory && memoryTable(result.memory, columns),
    result.fairness && fairnessTable(result.fairness),
    result.money && moneyTable(result.money),
    result.sharing && sharingTable(result.sharing),
    ...(result.peers ?? []).map(({ name, configured }) => `${name}: ${configured}`),
    result.failures.length > 0 &&
      `These figures do not count, because answers failed:\n  ${result.failures.join('\n  ')}`,
  ];
  return parts.filter((part) => typeof part === 'string').join('\n\n');
}

function blocksNote({ longestBlockMs, longestBusyMs, longestCollectionMs }: LoopReport): string {
  return `Without collections and waiting for a core, the longest block of the event loop took ${decimal(longestBlockMs)} ms. The thread
computed for at most ${decimal(longestBusyMs)} ms in a block; the rest is other work of the machine, or the disk. The longest garbage
collection under load took ${decimal(longestCollectionMs)} ms.`;
}

const ownTitles: Readonly<Record<TargetName, string>> = { pipe: 'bare Node pipe', splice: 'bare splice' };

function cpuTable({ cpu = [], reference, connections = 64 }: BenchResult, columns: readonly TargetName[]): string {
  const cells = cellsOf(columns);
  const table = [[`${connections} connections`, ...columns.map((name) => titleOf(name))]];
  for (const { workload, ratios, readsPerAnswer, saturated, cold } of cpu) {
    table.push([workloadTitles[workload] ?? workload, ...cells(ratios, spread)]);
    if (cold) {
      table.push(
        ['  the first 5,000 answers', ...cells(cold.toReference, decimal)],
        ['  the same, own warm cost = 1', ...cells(cold.toWarm, decimal)],
      );
    }
    // A paced answer takes as long as its pace, however fast the proxy is.
    if (workload !== 'separate-writes') {
      table.push(
        ['  whole answer, p50', ...cells(saturated.p50, decimal)],
        ['  whole answer, p99', ...cells(saturated.p99, decimal)],
      );
    }
    table.push(['  socket reads per answer', ...cells(readsPerAnswer, decimal)]);
  }
  return `CPU per request, ${titleOf(reference)} = 1: median of the rounds (lowest – highest)
${ruled(table)}
CPU is the user and system time of the proxy's processes, divided by the complete answers. "Socket reads" checks the
set-up: about 20 if the chunks arrived one by one, about 1 if they arrived together.`;
}

function latencyTable(
  { streams, rows }: LatencyResults,
  reference: TargetName,
  columns: readonly TargetName[],
): string {
  const cells = cellsOf(columns);
  const head = [
    `${streams} streams × 20 chunks/s`,
    'direct',
    ...columns.map((name) => titleOf(name)),
    'gateway adds',
    'met',
  ];
  const table = [head];
  for (const { what, quantile, toDirect, addedToReference, limitMs, gatewayWithinLimit } of rows) {
    table.push(
      [`${what}, ${quantile}`, '1', ...cells(toDirect, decimal), `≤ ${limitMs} ms`, yesNo(gatewayWithinLimit)],
      ['  added delay', '', ...cells(addedToReference, decimal), '', ''],
    );
  }
  return `Latency, direct to the upstream = 1; added delay, ${titleOf(reference)}'s = 1
${ruled(table)}
First byte: from the request to the first byte of the answer's body. Chunk: from the upstream's write to the client's read.
"–" means that the reference added no measurable delay.`;
}

function memoryTable({ idleMegabytes, busyPeakMegabytes, slow }: MemoryResult, columns: readonly TargetName[]): string {
  const cells = cellsOf(columns);
  const table = [['resident memory', ...columns.map((name) => titleOf(name))]];
  table.push(
    ['idle process, MB', ...cells(idleMegabytes, decimal)],
    ['peak, 64 busy connections, MB', ...cells(busyPeakMegabytes, decimal)],
  );
  for (const { streams, kilobytesEach, allServed } of slow) {
    table.push(
      [`each of ${streams.toLocaleString('en')} slow streams, KB`, ...cells(kilobytesEach, decimal)],
      ['  all served', ...cells(allServed, yesNo)],
    );
  }
  return `Resident memory
${ruled(table)}
Each proxy is newly started. The cost of a stream is the growth of the warm process with all streams open, divided by their
number. If the limit of open files is below twice the number of streams, fewer streams are opened.`;
}

function fairnessTable(results: readonly FairnessResult[]): string {
  const head = ['a full provider', ...results.map(({ name }) => titleOf(name))];
  const table = [head];
  const row = (title: string, cell: (result: FairnessResult) => string) => table.push([title, ...results.map(cell)]);
  row('a key for each account', ({ hasAccounts }) => yesNo(hasAccounts));
  for (const crowd of ['light', 'heavy'] as const) {
    row(`${crowd}: attempts`, (result) => String(result[crowd].attempts));
    row('  answered', (result) => `${(result[crowd].answered * 100).toFixed(1)} %`);
    row('  answers per second', (result) => decimal(result[crowd].answersPerSecond));
    for (const quantile of ['p50', 'p99'] as const)
      row(`  first token, ${quantile}, s`, (result) => decimal(result[crowd].firstTokenMs[quantile] / 1e3));
  }
  return `Fairness at a provider with ${scarceSlots} answers at once, ${scarceServiceMs / 1e3} s each, and 429 beyond
${ruled(table)}
One heavy account with ${heavyStreams} requests at once, ${lightAccounts.length} light ones with one each. After an answer or a refusal, a
client pauses for about ${pauseMs / 1e3} s. A refused request is repeated, and its first token counts from the first attempt.`;
}

function moneyTable({ received, cutOff, charged, reported, ledgerIsSound }: MoneyResult): string {
  const table: (string | number)[][] = [['money after kill -9', 'calls', 'gateway']];
  table.push(
    ['whole answers at the clients, their cost', received.calls, received.cost],
    ['calls that the kill cut off, their whole cost', cutOff.calls, cutOff.cost],
    ['charges of the ledger', '', charged],
    ['  beyond the whole answers', '', charged - received.cost],
    ['spend of the usage report', '', reported],
    ['ledger verify', '', ledgerIsSound ? 'sound' : 'NOT SOUND'],
  );
  return `Money, in millionths of a dollar
${ruled(table)}
A call that was cut off is charged if its charge, or a checkpoint of a longer stream, was written before the kill.`;
}

function sharingTable(results: readonly SharingResult[]): string {
  const head = [
    '512 connections',
    'answers',
    'of capacity',
    'CPU per answer',
    'cores',
    'cores of the load',
    'database',
  ];
  const table = [head];
  for (const result of results) {
    const { name, answersToOne, answersToPossible, cpuToOne, gatewayCores, loadCores, databaseCpu } = result;
    const figures = [answersToOne, answersToPossible, cpuToOne, gatewayCores, loadCores].map(decimal);
    table.push([name, ...figures, databaseCpu === undefined ? '–' : decimal(databaseCpu)]);
  }
  return `Sharing, the first row = 1
${ruled(table)}
"Of capacity": relative to the answers that this number of processes could give on the cores that the load and the upstream
leave. "Cores" is the average that the gateway's processes had. "Database" is its CPU per answer, the gateway's own = 1.`;
}

const workloadTitles: Partial<Record<Workload, string>> = {
  'separate-writes': '20 chunks, a write each',
  'one-write': '20 chunks in one write',
  'one-chunk': 'an answer of one chunk',
};

function titleOf(name: TargetName): string {
  return ownTitles[name] ?? name;
}

function cellsOf(columns: readonly TargetName[]) {
  return <Value>(values: Partial<Record<TargetName, Value | undefined>>, show: (value: Value) => string): string[] =>
    columns.map((name) => {
      if (!(name in values)) return 'not available';
      const value = values[name];
      return value === undefined ? '–' : show(value);
    });
}

function spread({ median, lowest, highest }: Spread): string {
  if (lowest === highest) return decimal(median);
  return `${decimal(median)} (${decimal(lowest)} – ${decimal(highest)})`;
}

function decimal(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value >= 10 ? 1 : 2) : '–';
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
