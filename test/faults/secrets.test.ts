import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  answer,
  chunk,
  type FakeProvider,
  fakeProvider,
  json,
  type ScriptedReply,
  sse,
  text,
} from '../fakes/fake-provider.ts';
import { type OtlpReceiver, otlpReceiver } from '../otlp.ts';
import { launcher } from '../gateways/launcher.ts';
import { processEnvironment } from '../gateways/process-environment.ts';
import { rawExchange } from '../raw-client.ts';

/**
 * The test plants secrets, and then searches all output for the mark in each. The secrets avoid the prefixes of well-
 * known providers, so that no filter removes them because they look like a key. The marks need no escaping, so that
 * they are found in every encoding.
 */
const mark = () => `canary${randomBytes(10).toString('hex')}`;
const marks = {
  keyInFile: mark(),
  headerInFile: mark(),
  keyInStore: mark(),
  rotatedKey: mark(),
  cloudId: mark(),
  cloudSecret: mark(),
  cloudToken: mark(),
  wrongKey: mark(),
  otherScheme: mark(),
  secret: mark(),
};
/** Message texts are private: only the provider gets the prompt, and only provider and client get the answer. */
const said = { prompt: mark(), answer: mark() };
const canaries = {
  keyInFile: `file/"${marks.keyInFile}`,
  headerInFile: `header "\\ ${marks.headerInFile}`,
  keyInStore: `store/${marks.keyInStore}`,
  rotatedKey: `rotated\\${marks.rotatedKey}`,
  cloudId: `AKID${marks.cloudId}`,
  cloudSecret: `cloud/"${marks.cloudSecret}`,
  cloudToken: `token\\${marks.cloudToken}`,
  wrongKey: `gwk_live_${marks.wrongKey}000000000000`,
  otherScheme: marks.otherScheme,
  secret: `${marks.secret}0123456789`,
};
/** Created by the gateway. Each may appear only in the output of the command that created it. */
const clientKeys: string[] = [];

const seen: { readonly where: string; readonly text: string }[] = [];
let folder: string;
let file: string;
let provider: FakeProvider;
let receiver: OtlpReceiver;
let gateway: ChildProcess;
let gatewayOutput = '';
let port: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  file = join(folder, 'gateway.yaml');
  provider = await fakeProvider();
  receiver = await otlpReceiver();
  for (const [model, reply] of Object.entries(replies)) provider.respond(model, reply);
  writeFileSync(file, configuration());
  gateway = start(['serve']);
  port = await listening(gateway);
});
afterAll(async () => {
  gateway.kill('SIGKILL');
  await provider.close();
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

/** All secrets that the gateway sent to the provider, as a provider may echo them. */
function sentSecrets(headers: Readonly<Record<string, string>>): string {
  return `${headers['authorization']} ${headers['x-token']} ${headers['x-amz-security-token']}`;
}
const echo =
  (status: number): ScriptedReply =>
  (writer, call) => {
    const key = call.headers['authorization']?.replace('Bearer ', '');
    const error = { code: key, type: key, message: `no such key: ${sentSecrets(call.headers)}`, key };
    return json(status, { error }, { 'x-echo': sentSecrets(call.headers) })(writer, call);
  };
/** The same, with every character escaped, so that the bytes differ from the secret. */
const escapedEcho: ScriptedReply = (writer, call) => {
  const escaped = [...sentSecrets(call.headers).replace('Bearer ', '')]
    .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
  return text(500, 'application/json', `{"error":{"code":"${escaped}","message":"${escaped}"}}`)(writer, call);
};
const lateEcho: ScriptedReply = (writer, call) => {
  const error = { code: 'invalid_request_error', message: sentSecrets(call.headers) };
  return sse([chunk({ role: 'assistant', content: said.answer }), { error }])(writer, call);
};
const replies: Readonly<Record<string, ScriptedReply>> = {
  fine: answer(`Hello there ${said.answer}`),
  bad: echo(400),
  denied: echo(401),
  broken: echo(500),
  escaped: escapedEcho,
  late: lateEcho,
};

/** The models that are also requested with a signature. */
const signed = ['bad', 'broken', 'escaped'];

/** The models that are also requested through an upstream of the store. */
const stored = ['fine', 'bad', 'escaped'];

function configuration(): string {
  const models = Object.keys(replies).map((model) => ({
    id: `file-${model}`,
    routes: [{ upstream: 'filed', model }],
    price: 'free',
  }));
  const cloudModels = signed.map((model) => ({
    id: `cloud-${model}`,
    routes: [{ upstream: 'cloud', model }],
    price: 'free',
  }));
  return stringify({
    listen: { host: '127.0.0.1', port: 0 },
    log: { level: 'trace' },
    // While headers are held back, an error still gets its own status code, even on a busy machine.
    waiting: { hold_headers: '5m' },
    telemetry: { traces: { endpoint: receiver.url } },
    secret: '${CANARY_SECRET}',
    egress: { allow: ['127.0.0.1'] },
    upstreams: [
      {
        name: 'filed',
        kind: 'openai',
        base_url: provider.url,
        api_key: canaries.keyInFile,
        headers: { 'X-Token': canaries.headerInFile },
      },
      {
        name: 'cloud',
        kind: 'bedrock',
        base_url: provider.url,
        region: 'us-east-1',
        access_key_id: canaries.cloudId,
        secret_access_key: canaries.cloudSecret,
        session_token: canaries.cloudToken,
      },
    ],
    models: [...models, ...cloudModels],
    accounts: [{ name: 'tester', package: 'standard' }],
  });
}

function start(words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [launcher, ...words, '--config', file], {
    env: { ...processEnvironment, CANARY_SECRET: canaries.secret },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (existsSync('/proc/self/cmdline')) record(`process list, ${words[0]}`, readFileSync(`/proc/${child.pid}/cmdline`));
  return child;
}

function record(where: string, what: string | Buffer): void {
  seen.push({ where, text: what.toString('latin1') });
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const readOutput = (piece: Buffer): void => {
      gatewayOutput += piece.toString('latin1');
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(gatewayOutput);
      if (match) resolve(Number(match[1]));
    };
    child.stdout?.on('data', readOutput);
    child.stderr?.on('data', readOutput);
    child.once('exit', () => reject(new Error(gatewayOutput)));
  });
}

/** Runs a command to its end and records its output, except where a new key may be shown. */
async function command(line: string, options: { input?: string; isShowing?: boolean } = {}): Promise<string> {
  const child = start(line.split(' '));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => {
      printed += piece.toString();
    });
  }
  child.stdin?.end(options.input);
  await once(child, 'close');
  if (!options.isShowing) record(`output of ${line}`, printed);
  return printed;
}

async function request(path: string, init: RequestInit): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const headers = [...response.headers].map((pair) => pair.join(': ')).join('\n');
  record(`response of ${path}, ${String(init.body).slice(0, 20)}`, `${headers}\n\n${await response.text()}`);
  return response.status;
}

function chat(model: string, authorization = `Bearer ${clientKeys[0]}`): Promise<number> {
  return request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: `hello ${said.prompt}` }] }),
  });
}

/** Reads all pages on which operators see a running gateway. */
async function readOperatorPages(): Promise<void> {
  const [, token = ''] = /admin token, shown only once: (\S+)/.exec(gatewayOutput) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const paths = ['metrics', 'admin/v1/audit', 'admin/v1/requests', 'admin/v1/upstreams/health', 'admin/v1/live'];
  for (const path of paths) expect([path, await request(`/${path}`, { headers })]).toEqual([path, 200]);
  for (const path of ['/healthz', '/readyz']) await request(path, {});
}

/** The outputs that contain a text. */
function outputsWith(text: string): readonly string[] {
  return seen.filter((each) => each.text.includes(text)).map(({ where }) => where);
}

/** The files of a folder with their contents. A running gateway may remove one during the read. */
function filesIn(directory: string): { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(directory, name);
    try {
      return statSync(path).isFile() ? [{ path, bytes: readFileSync(path) }] : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}

test('no secret appears in any output, file or trace', async () => {
  for (const line of ['keys create --account tester --name first --json', 'keys rotate first --grace 1h --json']) {
    const { secret } = JSON.parse(await command(line, { isShowing: true })) as { secret: string };
    clientKeys.push(secret);
  }
  const added = `upstreams add --preset openai --name stored --base-url ${provider.url} --api-key -`;
  await command(added, { input: canaries.keyInStore });
  for (const model of stored) await command(`models add store-${model} --route stored:${model} --free`);
  await expect
    .poll(() => chat(`store-${stored.at(-1)}`), { message: 'the models of the store are served' })
    .not.toBe(403);

  const statuses: Record<string, number> = { fine: 200, bad: 400, denied: 502, broken: 502, escaped: 502, late: 200 };
  const chatWithAll = async (source: string, models: readonly string[]): Promise<void> => {
    for (const model of models) expect(await chat(`${source}-${model}`)).toBe(statuses[model]);
  };
  await chatWithAll('file', Object.keys(replies));
  await chatWithAll('cloud', signed);
  await chatWithAll('store', stored);
  await command('upstreams rotate-key stored --api-key - --json', { input: `${canaries.rotatedKey}\n` });
  await expect
    .poll(
      async () => {
        await chat('store-fine');
        return provider.calls.at(-1)?.headers['authorization'];
      },
      { message: 'the credential that the provider is sent' },
    )
    .toBe(`Bearer ${canaries.rotatedKey}`);
  await chatWithAll('store', stored);

  for (const authorization of [
    `Bearer ${canaries.wrongKey}`,
    `Basic ${canaries.otherScheme}`,
    `Bearer ${clientKeys[0]} ${clientKeys[0]}`,
    clientKeys[0]!,
  ]) {
    expect(await chat('file-fine', authorization)).toBe(401);
  }
  await request(`/v1/models?api_key=${clientKeys[0]}`, {});
  const credentials = { authorization: `Bearer ${clientKeys[1]}`, 'content-type': 'application/json' };
  for (const body of [`{"api_key":"${clientKeys[0]}", oops`, `{"model":"file-fine","api_key":"${clientKeys[0]}"}`]) {
    expect(await request('/v1/chat/completions', { method: 'POST', headers: credentials, body })).toBe(400);
  }
  for (const head of [`Authorization: Bearer ${clientKeys[0]}\r\nBad Header: x`, `Authorization: ${clientKeys[0]}\0`]) {
    record('response of malformed HTTP', (await rawExchange(port, `GET /v1/models HTTP/1.1\r\n${head}\r\n\r\n`)).raw);
  }
  const lines = [
    'upstreams list',
    'upstreams show stored',
    'upstreams show stored --json',
    'upstreams show filed --json',
    'upstreams show cloud --json',
    'upstreams list --json',
    'keys list --json',
    'keys show first',
    'requests list --json',
    'accounts show tester --json',
    'check',
  ];
  for (const line of lines) await command(line);
  await readOperatorPages();

  const sent = provider.calls.map(({ headers }) => sentSecrets(headers)).join('\n');
  for (const name of ['keyInFile', 'headerInFile', 'keyInStore', 'rotatedKey', 'cloudId', 'cloudToken'] as const) {
    expect(sent, `${name} reached its provider`).toContain(canaries[name]);
  }
  const running = filesIn(join(folder, 'data'));
  expect(running.some(({ path }) => path.endsWith('-wal'))).toBe(true);
  for (const { path, bytes } of running) record(`${path}, running`, bytes);
  gateway.kill('SIGTERM');
  await once(gateway, 'close');
  for (const { path, bytes } of filesIn(join(folder, 'data'))) record(`${path}, stopped`, bytes);
  record('output of serve', gatewayOutput);
  record('traces', JSON.stringify(await receiver.spans()));
  expect(gatewayOutput).toContain('upstream-failed');
  expect(seen.some(({ text: content }) => content.includes('enc:v1:'))).toBe(true);

  const planted = [...Object.entries(marks), ...clientKeys.map((key) => ['clientKey', key.slice(9)] as const)];
  const hits = planted.flatMap(([name, hidden]) =>
    seen.filter(({ text: content }) => content.includes(hidden)).map(({ where }) => `${name} in the ${where}`),
  );
  expect(hits).toEqual([]);
  expect(outputsWith(said.prompt)).toEqual([]);
  const byAnswer = outputsWith(said.answer);
  expect(byAnswer.length).toBeGreaterThan(0);
  expect(byAnswer.filter((where) => !where.startsWith('response of /v1/chat/completions'))).toEqual([]);
  expect(
    seen.some(({ where, text: shown }) => where === 'traces' && shown.includes('chat_completions file-fine')),
  ).toBe(true);
  expect(seen.some(({ text: shown }) => shown.includes('model="file-fine"'))).toBe(true);
});
