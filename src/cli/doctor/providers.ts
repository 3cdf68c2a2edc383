import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { environmentProxies } from '../../config/proxy.ts';
import type { UpstreamSpec } from '../../config/upstream.ts';
import { systemClock } from '../../core/clock.ts';
import { type ProbeReport, probeUpstream } from '../../upstreams/probe.ts';
import { resolveUpstream } from '../../upstreams/resolve-upstream.ts';
import { certificateEnd, certificateFinding } from './certificate.ts';
import type { OtherClock } from './clock.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

const slowMs = 3000;
const timeoutMs = 10_000;
/** Providers without a list of models say so in these ways. */
const hasNoList = new Set([404, 405, 501]);

/** Asks every provider of the file for its list of models, which costs nothing; never for an answer. */
export async function providerFindings({ upstreams, models }: Config, env: NodeJS.ProcessEnv) {
  const asked = upstreams.filter(({ kind, enabled }) => kind !== 'simulated' && enabled);
  const clocks: OtherClock[] = [];
  const proxyFor = environmentProxies(env);
  const found = await Promise.all(
    asked.map(async (spec) => {
      const options = { clock: systemClock, newId: () => 'doctor', model: undefined, timeoutMs, proxyFor };
      const report = await probeUpstream(spec, options);
      if (report.clockMs !== undefined) clocks.push({ whose: spec.name, aheadMs: report.clockMs - systemClock.now() });
      const routed = models.flatMap(({ id, routes }) =>
        routes.filter(({ upstream }) => upstream === spec.name).map(({ model }) => model ?? id),
      );
      return [
        ...answerFindings(spec, report),
        ...routeFindings(spec, report, routed),
        ...(await trustFindings(spec, proxyFor)),
      ];
    }),
  );
  return { clocks, findings: found.flat() };
}

function answerFindings({ name }: UpstreamSpec, report: ProbeReport): readonly DoctorFinding[] {
  const { ok: isOk, asked, status, durationMs, models, error = '' } = report;
  const took = `${Math.round(durationMs)} ms`;
  if (isOk) {
    const says = `${name} answers in ${took} and lists ${models.length} models.`;
    const fix = 'See what is on the way: a proxy, a far region, a slow look-up of names.';
    return [durationMs > slowMs ? warning('providers', says, fix) : ok('providers', says)];
  }
  if (asked === 'nothing')
    return [ok('providers', `${name} has no list of models; only an answer would show whether it works.`)];
  if (status !== undefined && hasNoList.has(status)) {
    return [
      warning(
        'providers',
        `${name} is reached (${took}) and has no list of models there.`,
        'Check `base_url`; some providers have none. The console tests it with one token.',
      ),
    ];
  }
  return [problem('providers', `${name}: ${error}`, fixFor(name, status))];
}

function fixFor(name: string, status: number | undefined): string {
  if (status === 401 || status === 403) return `Give it another key: \`api_key\` of ${name}, or the variable it names.`;
  if (status === 402) return 'Top up the account at the provider.';
  if (status !== undefined) return 'Wait and ask again; its status page may say more.';
  return 'Check `base_url`, the look-up of names, the firewall, `HTTPS_PROXY` and `ca_file` on this machine.';
}

/** A route to a model that is not listed fails with every request. */
function routeFindings(
  { name }: UpstreamSpec,
  { models }: ProbeReport,
  routed: readonly string[],
): readonly DoctorFinding[] {
  if (models.length === 0) return [];
  const missing = [...new Set(routed)].filter((model) => !models.includes(model));
  if (missing.length === 0) return [];
  const says = `${name} does not list ${missing.join(', ')}, which models have routes to.`;
  return [
    warning('providers', says, 'Correct `model` of those routes, if the provider does not answer to these names.'),
  ];
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
  // Behind a proxy the provider cannot be looked at from here.
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
