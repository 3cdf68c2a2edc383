import { X509Certificate } from 'node:crypto';
import { environmentProxies } from '../../platform/config/schema/proxy.ts';
import type { UpstreamSpec } from '../../platform/config/schema/upstream.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type ProbeOptions, type ProbeReport, probeUpstream } from '../../serving/upstreams/providers/probe.ts';
import { resolveUpstream } from '../../serving/upstreams/resolve-upstream.ts';
import type { CatalogEntries } from './catalog.ts';
import { certificateEnd, certificateFinding } from './certificate.ts';
import type { OtherClock } from './clock.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

const slowMs = 3000;
const timeoutMs = 10_000;
/** Keys of one provider that are checked at once. */
const keysAtOnce = 10;
/** Statuses of providers that have no list of models. */
const hasNoList = new Set([404, 405, 501]);

/** Requests the list of models from every provider with each of its keys. Never requests an answer. */
export async function providerFindings({ upstreams, models }: CatalogEntries, env: NodeJS.ProcessEnv) {
  const probed = upstreams.filter(({ kind, enabled }) => kind !== 'simulated' && enabled);
  const clocks: OtherClock[] = [];
  const proxyFor = environmentProxies(env);
  const found = await Promise.all(
    probed.map(async (spec) => {
      const options = { clock: systemClock, newId: () => 'doctor', model: undefined, timeoutMs, proxyFor };
      const reports = await reportsOf(spec, options);
      const report = reports.find(({ ok: isOk }) => isOk) ?? reports[0];
      if (report.clockMs !== undefined) clocks.push({ owner: spec.name, aheadMs: report.clockMs - systemClock.now() });
      const routed = models.flatMap(({ id, routes }) =>
        routes.filter(({ upstream }) => upstream === spec.name).map(({ model }) => model ?? id),
      );
      return [
        ...answerFindings(spec, report, reports),
        ...routeFindings(spec, report, routed),
        ...(await trustFindings(spec, proxyFor)),
      ];
    }),
  );
  return { clocks, findings: found.flat() };
}

/** One report for each key. If the first one does not depend on the key, it is the only one. */
async function reportsOf(spec: UpstreamSpec, options: ProbeOptions): Promise<readonly [ProbeReport, ...ProbeReport[]]> {
  const first = await probeUpstream(spec, options);
  if (first.status === undefined || hasNoList.has(first.status)) return [first];
  const others = (spec.apiKeys ?? []).map((_, credential) => credential).slice(1);
  const reports: ProbeReport[] = [];
  for (let start = 0; start < others.length; start += keysAtOnce) {
    const some = others.slice(start, start + keysAtOnce);
    reports.push(...(await Promise.all(some.map((credential) => probeUpstream(spec, { ...options, credential })))));
  }
  return [first, ...reports];
}

function answerFindings(
  spec: UpstreamSpec,
  { ok: isOk, asked, status, durationMs, models }: ProbeReport,
  reports: readonly ProbeReport[],
): readonly DoctorFinding[] {
  const { name } = spec;
  const took = `${Math.round(durationMs)} ms`;
  if (isOk) {
    const says = `${name} responds in ${took}${keysText(reports)} and lists ${models.length} models.`;
    const fix = 'Check the network path: a proxy, a distant region, slow DNS.';
    const found = durationMs > slowMs ? warning('providers', says, fix) : ok('providers', says);
    return [found, ...failureFindings(spec, reports)];
  }
  if (asked === 'nothing') return [ok('providers', `${name} has no list of models. Only a chat request can test it.`)];
  if (status !== undefined && hasNoList.has(status)) {
    return [
      warning(
        'providers',
        `${name} is reachable (${took}), but has no list of models at this address.`,
        'Check `base_url`; some providers have no list. The dashboard can test it with one token.',
      ),
    ];
  }
  return failureFindings(spec, reports);
}

function keysText(reports: readonly ProbeReport[]): string {
  if (reports.length === 1) return '';
  const accepted = reports.filter(({ ok: isOk }) => isOk).length;
  return ` to ${accepted === reports.length ? 'each' : accepted} of its ${reports.length} keys`;
}

/** Names each of several keys by its place in the file, as the log does. */
function failureFindings({ name, apiKeys }: UpstreamSpec, reports: readonly ProbeReport[]): readonly DoctorFinding[] {
  return reports.flatMap(({ ok: isOk, status, error = '' }, index) => {
    if (isOk) return [];
    const key = apiKeys === undefined ? 'api_key' : `api_keys[${index}]`;
    const subject = reports.length === 1 ? name : `${name}, ${key}`;
    return [problem('providers', `${subject}: ${error}`, fixFor(status, `\`${key}\` of ${name}`))];
  });
}

function fixFor(status: number | undefined, key: string): string {
  if (status === 401 || status === 403) return `Set another key: ${key}, or the variable it names.`;
  if (status === 402) return 'Top up the account at the provider.';
  if (status !== undefined) return 'Try again later, and check its status page.';
  return 'Check `base_url`, DNS, the firewall, `HTTPS_PROXY` and `ca_file` on this machine.';
}

/** Warns about routes to models that the provider does not list: such a route may fail with every request. */
function routeFindings(
  { name }: UpstreamSpec,
  { models }: ProbeReport,
  routed: readonly string[],
): readonly DoctorFinding[] {
  if (models.length === 0) return [];
  const missing = [...new Set(routed)].filter((model) => !models.includes(model));
  if (missing.length === 0) return [];
  const says = `${name} does not list ${missing.join(', ')}, but routes use these models.`;
  return [warning('providers', says, 'Correct `model` in these routes, unless the provider accepts these names.')];
}

async function trustFindings(
  spec: UpstreamSpec,
  proxyFor: (origin: URL) => string | undefined,
): Promise<readonly DoctorFinding[]> {
  const now = systemClock.now();
  const own = spec.ca?.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  const ends = own.map((text) => Date.parse(new X509Certificate(text).validTo));
  const trusted = ends.map((end) => certificateFinding('providers', `\`ca_file\` of ${spec.name}`, end, now));
  const address = addressOf(spec);
  // Through a proxy, the provider's certificate cannot be read from here.
  const isDirect = address?.protocol === 'https:' && (spec.proxy ?? proxyFor(address) ?? 'none') === 'none';
  const end = isDirect ? await certificateEnd(address, spec.ca) : undefined;
  return end === undefined ? trusted : [...trusted, certificateFinding('providers', spec.name, end, now)];
}

function addressOf(spec: UpstreamSpec): URL | undefined {
  try {
    return new URL(resolveUpstream(spec).baseUrl);
  } catch {
    return undefined;
  }
}
