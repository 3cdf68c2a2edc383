import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Gateway, GatewayOptions } from '../../src/app/gateway.ts';
import { startGateway } from '../../src/app/main.ts';
import { answer, type FakeProvider, fakeProvider } from '../fakes/fake-provider.ts';
import { fakeSigns } from '../fakes/fake-signs.ts';
import { loadedConfig } from './loaded-config.ts';
import { makeKey } from '../keys.ts';
import { putStore } from '../stores/made-store.ts';

/** A complete gateway in this process, with a scripted provider. */
export interface TestGateway {
  readonly url: string;
  readonly port: number;
  /** An unlimited key of the account `tester`. */
  readonly key: string;
  readonly provider: FakeProvider;
  readonly gateway: Gateway;
  readonly directory: string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<GatewayReply>;
  postText(path: string, text: string, headers?: Record<string, string>): Promise<GatewayReply>;
  get(path: string, headers?: Record<string, string>): Promise<GatewayReply>;
  /** A chat completion of the model with one user message, as its parsed chunks. */
  chat(body: Record<string, unknown>, headers?: Record<string, string>): Promise<ChatReply>;
  newKey(options?: { account?: string; models?: readonly string[] }): Promise<string>;
  stop(): Promise<void>;
}

export interface GatewayReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint: a reply may have any shape; each test asserts it.
  readonly json: any;
}

export interface ChatReply extends GatewayReply {
  /** The data payloads in order, with the terminator. */
  readonly frames: readonly string[];
  /** The parsed payloads, without the terminator. */
  // biome-ignore lint: as above.
  readonly chunks: readonly any[];
}

/** Gets the default configuration file, and returns the one to use. */
export type ConfigChange = (base: Record<string, unknown>, provider: FakeProvider) => Record<string, unknown>;

export async function startTestGateway(
  change: ConfigChange = (base) => base,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const provider = await fakeProvider();
  provider.respond('plain', answer('Hello there, friend'));
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  await putStore(join(directory, 'data'));
  const config = loadedConfig(stringify(change(baseConfig(provider), provider)), directory);
  // By default, tests ignore the load of the machine, and use a cheap password hash.
  const defaults = { signs: fakeSigns(), passwordCost: cheapPasswords };
  const gateway = await startGateway(config, { ...defaults, env: {}, ...options });
  const { port } = gateway.address;
  const url = `http://127.0.0.1:${port}`;

  const newKey: TestGateway['newKey'] = async ({ account = 'tester', models } = {}) =>
    (await makeKey(gateway, { account, name: 'test', models })).secret;
  const key = await newKey();

  async function exchange(path: string, init: RequestInit): Promise<GatewayReply> {
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }
  const withKey = (headers: Record<string, string> = {}) => ({ authorization: `Bearer ${key}`, ...headers });
  const postText: TestGateway['postText'] = (path, body, headers) =>
    exchange(path, { method: 'POST', headers: { 'content-type': 'application/json', ...withKey(headers) }, body });
  const post: TestGateway['post'] = (path, body, headers) => postText(path, JSON.stringify(body), headers);

  return {
    url,
    port,
    key,
    provider,
    gateway,
    directory,
    post,
    postText,
    get: (path, headers) => exchange(path, { headers: withKey(headers) }),
    chat: async (body, headers) => {
      const messages = [{ role: 'user', content: 'hello' }];
      return framesOf(await post('/v1/chat/completions', { model: 'plain', messages, ...body }, headers));
    },
    newKey,
    stop: async () => {
      // If no request runs, do not wait for connections that `fetch` keeps open.
      await gateway.stop({ graceMs: gateway.alive().requests > 0 ? 1000 : 0 });
      await provider.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function framesOf(reply: GatewayReply): ChatReply {
  const frames = reply.text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length));
  const chunks = frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame));
  return { ...reply, frames, chunks };
}

/** The joined text of one field and one choice of a reply. */
export function joined(reply: ChatReply, field: 'content' | 'reasoning_content' = 'content', index = 0): string {
  return reply.chunks
    .flatMap((chunk) => chunk.choices)
    .filter((choice) => choice.index === index)
    .map((choice) => choice.delta[field] ?? '')
    .join('');
}

/** The cheapest password hash. The tests of passwords cover the real cost. */
export const cheapPasswords = { memory: 8, passes: 1 };

/** Long enough that nothing times out on a slow machine. A test of a timeout sets the clock itself. */
export const patientTimeouts = { connect: '60s', first_event: '5m', idle: '5m', total: '30m' };

function baseConfig(provider: FakeProvider): Record<string, unknown> {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    log: { level: 'silent' },
    support_email: 'help@example.com',
    upstreams: [
      {
        name: 'fake',
        kind: 'openai',
        base_url: provider.url,
        api_key: 'sk-upstream-canary',
        timeouts: patientTimeouts,
      },
    ],
    models: [
      model('plain', { aliases: ['plain-latest'], max_output_tokens: 4096, context_window: 100_000 }),
      model('thinker', { thinking: true }),
      model('other'),
    ],
    accounts: [{ name: 'tester', package: 'standard', credit: '100.00' }],
  };
}

/** A catalog entry that uses its own id as the provider's model name. */
export function model(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, routes: [{ upstream: 'fake' }], price: { input: '1', output: '2' }, ...more };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
