import type { UpstreamSpec } from '../../../platform/config/schema/upstream.ts';
import { fetchText } from '../http1/fetch-text.ts';
import { decodeModelList } from './model-list.ts';
import { networkOf } from '../provider-link.ts';
import { openUpstream, type UpstreamDeps } from '../open-upstream.ts';
import { clouds } from './clouds.ts';
import { listingHeaders, type Preset } from './preset.ts';
import { presets } from './presets.ts';
import { redactor } from '../answer/redaction.ts';
import { ProviderRefusal } from '../answer/refusal.ts';
import { decodeChatRequest } from 'chat-formats/chat-completions/request/decode-request.ts';
import type { Upstream } from '../upstream.ts';

export interface ProbeReport {
  readonly ok: boolean;
  readonly asked: 'model_list' | 'answer' | 'nothing';
  readonly status: number | undefined;
  readonly durationMs: number;
  /** The time of the provider's clock, in milliseconds since 1970. */
  readonly clockMs?: number | undefined;
  readonly models: readonly string[];
  readonly error: string | undefined;
}

export interface ProbeOptions extends UpstreamDeps {
  /** The name of a model at the provider, for providers without a list. */
  readonly model: string | undefined;
  /** Index of the credential that is tested, from 0. Default: the first one. */
  readonly credential?: number;
  readonly timeoutMs?: number;
}

const listBytesMax = 8 * 1024 * 1024;
const modelsMax = 1000;

/** The model list or, without one, an answer of one token. Never throws, and uses only the upstream's addresses. */
export async function probeUpstream(spec: UpstreamSpec, options: ProbeOptions): Promise<ProbeReport> {
  const { clock, timeoutMs = 15_000 } = options;
  const startedMs = clock.elapsed();
  const finding = await probe(spec, { ...options, timeoutMs });
  return { status: undefined, models: [], error: undefined, ...finding, durationMs: clock.elapsed() - startedMs };
}

type ProbeFinding = Pick<ProbeReport, 'ok' | 'asked'> &
  Partial<Pick<ProbeReport, 'status' | 'clockMs' | 'models' | 'error'>>;
type ProbeSettings = ProbeOptions & { readonly timeoutMs: number };

async function probe(spec: UpstreamSpec, options: ProbeSettings): Promise<ProbeFinding> {
  const address = listAddressOf(spec);
  const listed = address && (await list(spec, address, options));
  if (listed && !(hasNoList.has(listed.status ?? 0) && options.model !== undefined)) return listed;
  if (options.model !== undefined) return answer(spec, options.model, options);
  const error = 'It has no list of models, and no model has a route to it. Add a model and test again.';
  return { ok: false, asked: 'nothing', error };
}

const hasNoList = new Set([404, 405, 501]);

interface ListAddress {
  readonly preset: Preset | undefined;
  readonly baseUrl: string;
}

function listAddressOf({ kind, baseUrl }: UpstreamSpec): ListAddress | undefined {
  const isOwn = kind === 'simulated' || clouds.some(({ name }) => name === kind);
  const preset = presets.find(({ name }) => name === kind);
  const base = baseUrl ?? preset?.baseUrl;
  return isOwn || base === undefined ? undefined : { preset, baseUrl: base };
}

async function list(
  spec: UpstreamSpec,
  { preset, baseUrl }: ListAddress,
  options: ProbeSettings,
): Promise<ProbeFinding> {
  const key = spec.apiKeys?.[options.credential ?? 0] ?? spec.apiKey;
  const redact = redactor(secretsOf(spec));
  const asked = 'model_list';
  try {
    const { head, text } = await fetchText(listAddress(baseUrl, preset?.listing?.path), {
      clock: options.clock,
      ...networkOf(spec, options),
      headers: {
        accept: 'application/json',
        'user-agent': 'chat-gateway',
        ...listingHeaders(preset, key),
        ...spec.headers,
      },
      connectTimeoutMs: spec.timeouts.connect,
      timeoutMs: options.timeoutMs,
      bytesMax: listBytesMax,
    });
    const { status } = head;
    const clockMs = Date.parse(head.header('date') ?? '') || undefined;
    if (status !== 200) return { ok: false, asked, status, clockMs, error: refusalWords(status, redact(text)) };
    const models = decodeModelList(text, preset?.listing?.idPrefix);
    if (models) return { ok: true, asked, status, clockMs, models: models.slice(0, modelsMax).map(({ id }) => id) };
    return { ok: false, asked, status, error: 'Its response is not a list of models. Check `base_url`.' };
  } catch (error) {
    return { ok: false, asked, error: redact(`It cannot be reached: ${messageOf(error)}.`) };
  }
}

/** Keeps the query of the base address, because some providers put a version there. */
function listAddress(baseUrl: string, path = 'models'): URL {
  const base = new URL(baseUrl);
  const address = new URL(path, `${base.origin}${base.pathname.replace(/\/+$/, '')}/`);
  for (const [name, value] of base.searchParams) address.searchParams.set(name, value);
  return address;
}

async function answer(spec: UpstreamSpec, model: string, options: ProbeSettings): Promise<ProbeFinding> {
  const upstream = openUpstream(spec, options);
  try {
    await askOneToken(upstream, { model, credential: options.credential ?? 0 }, AbortSignal.timeout(options.timeoutMs));
    return { ok: true, asked: 'answer', status: 200 };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const status = cause instanceof ProviderRefusal ? cause.status : undefined;
    const providerText = redactor(secretsOf(spec))(messageOf(cause ?? error));
    return {
      ok: false,
      asked: 'answer',
      status,
      error: status === undefined ? providerText : refusalWords(status, providerText),
    };
  } finally {
    upstream.close();
  }
}

function refusalWords(status: number, providerText: string): string {
  const words = providerText.trim().replace(/\s+/g, ' ').slice(0, wordsMax);
  return `${explain(status)} It answered ${status}${words === '' ? '.' : `: ${words}`}`;
}

const wordsMax = 500;

function explain(status: number): string {
  if (status === 401 || status === 403) return 'The provider refuses the credential.';
  if (status === 402) return 'The account at the provider has no balance.';
  if (status === 404) return 'The provider has no such address or model. Check `base_url`.';
  if (status === 429) return 'The provider accepts no more requests at the moment.';
  return status >= 500 ? 'The provider has a server error.' : 'The provider refuses the request.';
}

function secretsOf({ apiKey, apiKeys = [], headers = {}, ...own }: UpstreamSpec): readonly string[] {
  const cloud = [own.accessKeyId, own.secretAccessKey, own.sessionToken, own.serviceAccount];
  return [apiKey, ...apiKeys, ...Object.values(headers), ...cloud].filter((each) => typeof each === 'string');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Requests one token from a model and then closes the call. Rejects as the upstream does. */
async function askOneToken(
  upstream: Upstream,
  { model, credential }: { readonly model: string; readonly credential: number },
  signal: AbortSignal,
): Promise<void> {
  const body = { model: 'any', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream: true };
  const request = decodeChatRequest(body, JSON.stringify(body).length);
  const flow = await upstream.open({ model, thinking: false, maxOutputTokens: 1, request, credential }, signal);
  await new Promise<void>((resolve, reject) => {
    flow.start({
      events: () => {
        flow.cancel();
        resolve();
      },
      end: resolve,
      fail: reject,
    });
  });
}
