import Table from 'cli-table3';
import type { CpuResult, Spread } from './measure-cpu.ts';
import type { LatencyResult } from './measure-latency.ts';
import type { MemoryResult } from './measure-memory.ts';
import type { TargetName } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** Everything one run found out. Ratios, but for memory: what they were made of belongs to one machine on one day. */
export interface BenchResult {
  readonly reference: TargetName;
  readonly cpu?: readonly CpuResult[];
  readonly latency?: readonly LatencyResult[];
  readonly memory?: MemoryResult;
  readonly failures: readonly string[];
}

/** The most CPU per request the gateway may take, as a multiple of nginx. */
const cpuTargets: Partial<Record<Workload, number>> = { 'separate-writes': 2, 'one-write': 5, 'one-chunk': 4 };

/** How much longer than nginx the slowest of a hundred answers may take when every connection is busy. */
const saturatedMax = 5;

function saturatedMet(p99: Partial<Record<TargetName, number>>, reference: TargetName): string {
  return reference === 'nginx' ? yesNo((p99.gateway ?? Number.NaN) <= saturatedMax) : 'needs nginx';
}

/** The result as tables with a word on how to read them. */
export function renderReport(result: BenchResult): string {
  const parts = [
    result.cpu && cpuTable(result.cpu, result.reference),
    result.latency && latencyTable(result.latency, result.reference),
    result.memory && memoryTable(result.memory),
    result.failures.length > 0 && `These figures do not count, answers failed:\n  ${result.failures.join('\n  ')}`,
  ];
  return parts.filter((part) => typeof part === 'string').join('\n\n');
}

const columns: readonly TargetName[] = ['nginx', 'pipe', 'splice', 'gateway'];
const columnTitles = ['nginx', 'bare Node pipe', 'bare splice', 'gateway'];

function cpuTable(results: readonly CpuResult[], reference: TargetName): string {
  const table = new Table({ head: ['64 connections', ...columnTitles, 'target', 'met'], style: plain });
  for (const { workload, ratios, readsPerAnswer, saturated } of results) {
    const limit = cpuTargets[workload] ?? Number.NaN;
    const gateway = ratios.gateway?.median ?? Number.NaN;
    const met = reference === 'nginx' ? yesNo(gateway <= limit) : 'needs nginx';
    table.push(
      [workloadTitles[workload] ?? workload, ...cells(ratios, spread), `≤ ${limit} × nginx`, met],
      ['  whole answer, p50', ...cells(saturated.p50, decimal), '', ''],
      [
        '  whole answer, p99',
        ...cells(saturated.p99, decimal),
        `≤ ${saturatedMax} × nginx`,
        saturatedMet(saturated.p99, reference),
      ],
      ['  socket reads per answer', ...cells(readsPerAnswer, decimal), '', ''],
    );
  }
  return `CPU per request, ${titleOf(reference)} = 1: median of the rounds (lowest – highest)
${table.toString()}
CPU is user + system time of the proxy's processes over the answers that came back whole. "Socket reads" is a check of
the set-up: about 20 says that the chunks travelled one by one, about 1 that they travelled together.`;
}

function latencyTable(results: readonly LatencyResult[], reference: TargetName): string {
  const head = ['300 streams × 20 chunks/s', 'direct', ...columnTitles, 'gateway adds', 'met'];
  const table = new Table({ head, style: plain });
  for (const { what, quantile, toDirect, addedToReference, limitMs, gatewayWithinLimit } of results) {
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

/** The most memory the gateway may take. */
const memoryTargets = { idleMegabytes: 120, busyPeakMegabytes: 200, kilobytesEach: 40 };

function memoryTable({ idleMegabytes, busyPeakMegabytes, slow }: MemoryResult): string {
  const table = new Table({ head: ['resident memory', ...columnTitles, 'target', 'met'], style: plain });
  const row = (title: string, values: Partial<Record<TargetName, number>>, limit: number | undefined, unit: string) => {
    const judged =
      limit === undefined ? ['', ''] : [`≤ ${limit} ${unit}`, yesNo((values.gateway ?? Infinity) <= limit)];
    table.push([`${title}, ${unit}`, ...cells(values, decimal), ...judged]);
  };
  row('idle process', idleMegabytes, memoryTargets.idleMegabytes, 'MB');
  row('peak, 64 busy connections', busyPeakMegabytes, memoryTargets.busyPeakMegabytes, 'MB');
  for (const [index, { streams, kilobytesEach, allServed }] of slow.entries()) {
    const limit = index === slow.length - 1 ? memoryTargets.kilobytesEach : undefined;
    row(`each of ${streams.toLocaleString('en')} slow streams`, kilobytesEach, limit, 'KB');
    table.push(['  all served', ...cells(allServed, yesNo), '', '']);
  }
  return `Resident memory
${table.toString()}
Each proxy is started afresh. A stream costs what the warmed-up process holds more than before with all of them open. A
limit of open files below twice the number of streams makes them fewer.`;
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
