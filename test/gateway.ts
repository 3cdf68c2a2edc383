import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Gateway, GatewayOptions } from '../src/gateway/gateway.ts';
import { startGateway } from '../src/main.ts';
import { answer, type FakeProvider, fakeProvider } from './fake-provider.ts';
import { fakeSigns } from './fake-signs.ts';
import { loadedConfig } from './loaded-config.ts';
import { makeKey } from './keys.ts';
import { putStore } from './made-store.ts';

/** A whole gateway in this process, in front of a scriptable provider. */
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
  // biome-ignore lint: a reply is whatever the gateway said; each test asserts its shape.
  readonly json: any;
}

export interface ChatReply extends GatewayReply {
  /** The data payloads in order, the terminator included. */
  readonly frames: readonly string[];
  /** The parsed payloads, the terminator left out. */
  // biome-ignore lint: as above.
  readonly chunks: readonly any[];
}

/** The file a test starts with; `change` may return another. */
export type ConfigChange = (base: Record<string, unknown>, provider: FakeProvider) => Record<string, unknown>;

export async function startTestGateway(
  change: ConfigChange = (base) => base,
  options: Omit<GatewayOptions, 'env'> = {},
): Promise<TestGateway> {
  const provider = await fakeProvider();
  provider.respond('plain', answer('Hello there, friend'));
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  await putStore(join(directory, 'data'));
  const config = loadedConfig(stringify(change(baseConfig(provider), provider)), directory);
  // A busy machine is no concern of a test, unless the test makes it one; nor are those who guess passwords.
  const usual = { signs: fakeSigns(), passwordCost: cheapPasswords };
  const gateway = await startGateway(config, { ...usual, ...options, env: {} });
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
      // Connections that `fetch` keeps are not waited for where nothing runs.
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

/** All text of one kind that a reply's chunks carry for a choice. */
export function joined(reply: ChatReply, field: 'content' | 'reasoning_content' = 'content', index = 0): string {
  return reply.chunks
    .flatMap((chunk) => chunk.choices)
    .filter((choice) => choice.index === index)
    .map((choice) => choice.delta[field] ?? '')
    .join('');
}

/** The least there is: what guessing costs is a matter of the passwords' own tests. */
export const cheapPasswords = { memory: 8, passes: 1 };

/** Nothing runs out because a machine is slow; a test about time owns the clock. */
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

/** A catalog entry that reaches the provider under its own name. */
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
