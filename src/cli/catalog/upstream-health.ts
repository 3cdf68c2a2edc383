import type { Command } from 'commander';
import { colors } from '../colors.ts';
import type { z } from 'zod';
import { upstreamHealthSchema } from '../../manage/admin/catalog/upstream-health.ts';
import { silentMs } from '../../platform/cluster/peers.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';
import { lengthText, relativeText } from '../terminal/time-text.ts';

type UpstreamHealthReport = z.output<typeof upstreamHealthSchema>;
type ReportedUpstream = UpstreamHealthReport['upstreams'][number];
type ReportedCredential = ReportedUpstream['credentials'][number];
type ReportedHolder = ReportedUpstream['processes'][number];

interface HealthOptions {
  readonly url: string;
  readonly token?: string;
}

const tokenVariable = 'CHAT_GATEWAY_TOKEN';
const timeoutMs = 10_000;

/** `upstreams health`: reads the health of upstreams from a running gateway, because it is only in its memory. */
export function registerUpstreamHealth(upstreams: Command): void {
  upstreams
    .command('health')
    .option('--url <address>', 'address of the running gateway', 'http://127.0.0.1:8080')
    .option('--token <token>', `admin token; default: the environment variable ${tokenVariable}`)
    .description('Show the health of upstreams, as a running gateway reports it.')
    .action(show);
}

async function show(options: HealthOptions, command: Command): Promise<void> {
  const token = options.token ?? process.env[tokenVariable];
  if (!token) {
    throw new CliError('admin_token_missing', { variable: tokenVariable }, { exitCode: 2 });
  }
  const health = await fetchHealth(options.url, token);
  answer(command, { json: health, text: () => healthText(health, Date.now()) });
}

async function fetchHealth(url: string, token: string): Promise<UpstreamHealthReport> {
  const address = URL.parse('admin/v1/upstreams/health', url.endsWith('/') ? url : `${url}/`);
  if (!address) throw new CliError('invalid_url', { url, example: 'http://HOST:PORT' }, { exitCode: 2 });
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new CliError('gateway_unreachable', { url }, { cause: error });
  });
  if (response.status === 401 || response.status === 403) {
    throw new CliError('admin_token_rejected', { url });
  }
  const read = upstreamHealthSchema.safeParse(foreignJson(await response.text()));
  if (read.success) return read.data;
  throw new CliError('unexpected_response', { url, status: response.status });
}

function healthText({ upstreams, retries }: UpstreamHealthReport, now: number): string {
  const rows = upstreams.flatMap((upstream) => upstream.credentials.map((each) => row(upstream, each, now)));
  const head = ['upstream', 'credential', 'state', 'running', 'queued', 'first token', 'failures', 'last error'];
  const holders = upstreams.flatMap((upstream) => upstream.processes.map((each) => holderRow(upstream, each)));
  const shares = holders.length === 0 ? [] : [table(holderHead, holders)];
  const retried = `Retries in flight: ${retries.in_use} of ${retries.limit}`;
  return [table(head, rows), ...shares, retried].join('\n\n');
}

const holderHead = ['upstream', 'process', 'running', 'lease', 'queued', 'heartbeat'];

function holderRow({ name }: ReportedUpstream, holder: ReportedHolder): readonly Cell[] {
  const { host, pid, worker, running, lease, waiting, heartbeat_age_ms } = holder;
  const where = worker === null ? `${host} (pid ${pid})` : `${host} worker ${worker} (pid ${pid})`;
  const isOverdue = heartbeat_age_ms > silentMs;
  const heartbeat = isOverdue ? { text: `none for ${lengthText(heartbeat_age_ms)}`, paint: colors.yellow } : 'just now';
  return [name, where, String(running), String(lease), String(waiting), heartbeat];
}

function row(upstream: ReportedUpstream, credential: ReportedCredential, now: number): readonly Cell[] {
  return [
    upstream.name,
    String(credential.index),
    stateCell(credential, now),
    `${credential.running} (${upstream.running} of ${upstream.limit})`,
    String(upstream.waiting),
    credential.latency_ms === null ? '' : lengthText(credential.latency_ms),
    String(credential.consecutive_failures),
    credential.last_error === null
      ? ''
      : `${relativeText(Date.parse(credential.last_error_at ?? ''), now)}: ${credential.last_error}`,
  ];
}

function stateCell({ state, ejected_until, cooldown_until }: ReportedCredential, now: number): Cell {
  const until = ejected_until ?? cooldown_until;
  const word = ejected_until === null && cooldown_until !== null ? 'cooldown' : state;
  const text = until === null ? word : `${word}, retry ${relativeText(Date.parse(until), now)}`;
  return { text, paint: paints[state] };
}

const paints: Readonly<Record<ReportedCredential['state'], (text: string) => string>> = {
  healthy: colors.green,
  ramping: colors.yellow,
  'half-open': colors.yellow,
  ejected: colors.red,
  disabled: colors.red,
};
