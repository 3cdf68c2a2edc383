import { z } from 'zod';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { systemClock } from '../../core/time/clock.ts';
import { delay } from '../../core/time/delay.ts';
import { CliError } from '../terminal/output.ts';

export interface ListedModel {
  readonly id: string;
  /** Its `supported_endpoint_types`. */
  readonly surfaces: readonly string[];
}

/** A running gateway reads a new key within a second. */
const newKeyMs = 10_000;
const retryMs = 200;
const timeoutMs = 10_000;
/** What agents ask for if the model does not say. */
const outputTokensMax = 32_000;

/** The path before `/v1/messages` of the gateway that runs there. Throws if none does. */
export async function messagesPrefixOf(url: string): Promise<string> {
  const paths = documentSchema.safeParse(await bodyOf(await get(url, '/openapi.json'))).data?.paths ?? {};
  const path = Object.keys(paths).find((each) => each.endsWith(messagesEnd));
  if (path === undefined) throw new CliError('not_a_gateway', { url }, { exitCode: 2 });
  return path.slice(0, -messagesEnd.length);
}

export interface GatewayAccess {
  readonly url: string;
  readonly key: { readonly secret: string; readonly isNew: boolean };
  /** Ends the requests. They reject with its reason. */
  readonly signal: AbortSignal;
}

/** The models that a key may use. Throws if the gateway refuses the key. */
export async function modelsOf(access: GatewayAccess): Promise<readonly ListedModel[]> {
  const { url, key, signal } = access;
  const deadlineMs = systemClock.elapsed() + (key.isNew ? newKeyMs : 0);
  for (;;) {
    const response = await get(url, '/v1/models', optionsOf(access));
    if (response.ok) return modelsSchema.parse(await bodyOf(response)).data.map(listed);
    if (systemClock.elapsed() >= deadlineMs) throw new CliError('key_rejected', { url, status: response.status });
    await delay(systemClock, retryMs, signal);
  }
}

/** How much of a conversation fits into a model. */
export interface ModelLimits {
  readonly contextWindow: number;
  readonly outputTokens: number;
}

/**
 * The limits of a model, which only the messages surface reports. `undefined`: its context window is not configured, or
 * the model is not on that surface. Agents keep room for their longest answer, so it gets at most a quarter of the window.
 */
export async function limitsOf(access: GatewayAccess, prefix: string, name: string): Promise<ModelLimits | undefined> {
  const headers = { 'x-api-key': access.key.secret };
  const response = await get(access.url, `${prefix}/v1/models/${pathOf(name)}`, { headers, signal: access.signal });
  const { max_input_tokens, max_tokens } = limitsSchema.safeParse(await bodyOf(response)).data ?? {};
  if (max_input_tokens === undefined) return undefined;
  const outputTokens = Math.min(max_tokens ?? outputTokensMax, Math.floor(max_input_tokens / 4));
  return { contextWindow: max_input_tokens, outputTokens };
}

/** The model that has this name or alias. `undefined`: none, or the key may not use it. */
export async function modelAt(access: GatewayAccess, name: string): Promise<ListedModel | undefined> {
  const response = await get(access.url, `/v1/models/${pathOf(name)}`, optionsOf(access));
  return response.ok ? listed(modelSchema.parse(await bodyOf(response))) : undefined;
}

function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

function optionsOf({ key, signal }: GatewayAccess): RequestOptions {
  return { headers: { authorization: `Bearer ${key.secret}` }, signal };
}

const messagesEnd = '/v1/messages';
const documentSchema = z.object({ paths: z.record(z.string(), z.unknown()) });
const modelSchema = z.object({ id: z.string(), supported_endpoint_types: z.array(z.string()) });
const limitsSchema = z.object({ max_input_tokens: z.int().positive(), max_tokens: z.int().positive().nullish() });
const modelsSchema = z.object({ data: z.array(modelSchema) });

function listed({ id, supported_endpoint_types: surfaces }: z.output<typeof modelSchema>): ListedModel {
  return { id, surfaces };
}

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function get(url: string, path: string, { headers = {}, signal }: RequestOptions = {}): Promise<Response> {
  const address = URL.parse(url + path);
  if (!address) throw new CliError('invalid_url', { url, example: 'http://HOST:PORT' }, { exitCode: 2 });
  const ends = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  try {
    return await fetch(address, { headers, signal: AbortSignal.any(ends) });
  } catch (error) {
    signal?.throwIfAborted();
    throw new CliError('gateway_unreachable', { url }, { cause: error });
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  return foreignJson(await response.text().catch(() => ''));
}
