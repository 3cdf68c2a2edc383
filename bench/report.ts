import Table from 'cli-table3';
import type { BenchResult } from './bench-result.ts';
import { figuresOf, figuresTable } from './figures.ts';
import type { LoopReport } from './loop-watch.ts';
import type { CpuResult, Spread } from './measure-cpu.ts';
import type { LatencyResults } from './measure-latency.ts';
import type { MemoryResult } from './measure-memory.ts';
import type { SharingResult } from './measure-sharing.ts';
import type { TargetName } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** The figures that have aims, then the tables they come from with a word on how to read them. */
export function renderReport(result: BenchResult): string {
  const parts = [
    figuresTable(figuresOf(result)),
    result.cpu && cpuTable(result.cpu, result.reference),
    ...(result.latency ?? []).map((latency) => latencyTable(latency, result.reference)),
    result.blocks && blocksNote(result.blocks),
    result.memory && memoryTable(result.memory),
    result.sharing && sharingTable(result.sharing),
    (result.missing ?? []).length > 0 && `Not there:\n  ${result.missing?.join('\n  ')}`,
    result.failures.length > 0 && `These figures do not count, answers failed:\n  ${result.failures.join('\n  ')}`,
  ];
  return parts.filter((part) => typeof part === 'string').join('\n\n');
}

function blocksNote({ longestBusyMs, longestCollectionMs }: LoopReport): string {
  return `Of no block of the event loop the thread computed for more than ${decimal(longestBusyMs)} ms, collections apart: the rest was taken by
the machine or the disk. The longest garbage collection under load took ${decimal(longestCollectionMs)} ms.`;
}

const columns: readonly TargetName[] = ['nginx', 'pipe', 'splice', 'gateway', 'portkey'];
const columnTitles = ['nginx', 'bare Node pipe', 'bare splice', 'gateway', 'Portkey'];

function cpuTable(results: readonly CpuResult[], reference: TargetName): string {
  const table = new Table({ head: ['64 connections', ...columnTitles], style: plain });
  for (const { workload, ratios, readsPerAnswer, saturated } of results) {
    table.push([workloadTitles[workload] ?? workload, ...cells(ratios, spread)]);
    // An answer with a pace of its own takes as long as that, however fast the proxy is.
    if (workload !== 'separate-writes') {
      table.push(
        ['  whole answer, p50', ...cells(saturated.p50, decimal)],
        ['  whole answer, p99', ...cells(saturated.p99, decimal)],
      );
    }
    table.push(['  socket reads per answer', ...cells(readsPerAnswer, decimal)]);
  }
  return `CPU per request, ${titleOf(reference)} = 1: median of the rounds (lowest – highest)
${table.toString()}
CPU is user + system time of the proxy's processes over the answers that came back whole. "Socket reads" is a check of
the set-up: about 20 says that the chunks travelled one by one, about 1 that they travelled together.`;
}

function latencyTable({ streams, rows }: LatencyResults, reference: TargetName): string {
  const head = [`${streams} streams × 20 chunks/s`, 'direct', ...columnTitles, 'gateway adds', 'met'];
  const table = new Table({ head, style: plain });
  for (const { what, quantile, toDirect, addedToReference, limitMs, gatewayWithinLimit } of rows) {
    table.push(
      [`${what}, ${quantile}`, '1', ...cells(toDirect, decimal), `≤ ${limitMs} ms`, yesNo(gatewayWithinLimit)],
      ['  the added part', '', ...cells(addedToReference, decimal), '', ''],
    );
  }
  return `Latency, direct to the upstream = 1; the added part, ${titleOf(reference)}'s = 1
${table.toString()}
First byte: from the request to the first byte of the answer's body. Chunk: from the upstream's write to the client's read.
"–" says that the reference added nothing measurable.`;
}

function memoryTable({ idleMegabytes, busyPeakMegabytes, slow }: MemoryResult): string {
  const table = new Table({ head: ['resident memory', ...columnTitles], style: plain });
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
${table.toString()}
Each proxy is started afresh. A stream costs what the warmed-up process holds more than before with all of them open. A
limit of open files below twice the number of streams makes them fewer.`;
}

function sharingTable(results: readonly SharingResult[]): string {
  const head = ['512 connections', 'answers', 'of possible', 'CPU an answer', 'cores', 'load’s cores', 'database'];
  const table = new Table({ head, style: plain });
  for (const result of results) {
    const { name, answersToOne, answersToPossible, cpuToOne, gatewayCores, loadCores, databaseCpu } = result;
    const figures = [answersToOne, answersToPossible, cpuToOne, gatewayCores, loadCores].map(decimal);
    table.push([name, ...figures, databaseCpu === undefined ? '–' : decimal(databaseCpu)]);
  }
  return `Sharing, the first row = 1
${table.toString()}
"Of possible": beside as many answers as so many processes could give on the cores of this machine, of which the load and the
upstream need their part. "Cores" are those the gateway's processes had on average. "Database" is its CPU for an answer, the
gateway's own = 1.`;
}

const workloadTitles: Partial<Record<Workload, string>> = {
  'separate-writes': '20 chunks, a write each',
  'one-write': '20 chunks in one write',
  'one-chunk': 'an answer of one chunk',
};

/** No colours: the report is made to be pasted. */
const plain = { head: [], border: [] };

function titleOf(name: TargetName): string {
  return columnTitles[columns.indexOf(name)] ?? name;
}

function cells<Value>(
  values: Partial<Record<TargetName, Value | undefined>>,
  show: (value: Value) => string,
): string[] {
  return columns.map((name) => {
    if (!(name in values)) return 'not there';
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
