import { z } from 'zod';
import { systemClock } from '../../core/time/clock.ts';
import { delay } from '../../core/time/delay.ts';
import { CliError } from '../output.ts';

export interface ListedModel {
  readonly id: string;
  /** Its `supported_endpoint_types`. */
  readonly surfaces: readonly string[];
}

/** A running gateway reads a new key within a second. */
const newKeyMs = 10_000;
const retryMs = 200;
const timeoutMs = 10_000;

/** The path before `/v1/messages` of the gateway that runs there. Throws if none does. */
export async function messagesPrefixOf(url: string): Promise<string> {
  const paths = documentSchema.safeParse(await bodyOf(await get(url, '/openapi.json'))).data?.paths ?? {};
  const path = Object.keys(paths).find((each) => each.endsWith(messagesEnd));
  if (path === undefined) throw new CliError('not_a_gateway', { url }, { exitCode: 2 });
  return path.slice(0, -messagesEnd.length);
}

/** The models that a key may use. Throws if the gateway refuses the key. */
export async function modelsOf(
  url: string,
  key: { readonly secret: string; readonly isNew: boolean },
): Promise<readonly ListedModel[]> {
  const deadlineMs = systemClock.elapsed() + (key.isNew ? newKeyMs : 0);
  for (;;) {
    const response = await get(url, '/v1/models', { authorization: `Bearer ${key.secret}` });
    if (response.ok) {
      const { data } = modelsSchema.parse(await bodyOf(response));
      return data.map(({ id, supported_endpoint_types: surfaces }) => ({ id, surfaces }));
    }
    if (systemClock.elapsed() >= deadlineMs) throw new CliError('key_rejected', { url, status: response.status });
    await delay(systemClock, retryMs);
  }
}

const messagesEnd = '/v1/messages';
const documentSchema = z.object({ paths: z.record(z.string(), z.unknown()) });
const modelsSchema = z.object({
  data: z.array(z.object({ id: z.string(), supported_endpoint_types: z.array(z.string()) })),
});

async function get(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const address = URL.parse(url + path);
  if (!address) throw new CliError('invalid_url', { url, example: 'http://HOST:PORT' }, { exitCode: 2 });
  return fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new CliError('gateway_unreachable', { url }, { cause: error });
  });
}

function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}
