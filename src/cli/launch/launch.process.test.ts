import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launcher } from '../../../test/gateways/launcher.ts';
import { processEnvironment } from '../../../test/gateways/process-environment.ts';
import { type ServedGateway, startServedGateway } from '../../../test/gateways/served-gateway.ts';
import { launchableAgents } from './agents.ts';

let gateway: ServedGateway;
let programs: string;

/**
 * Stands in for every agent: lists the models with each key that it finds, and ends with status 7. With `wait`, it waits for
 * SIGHUP, and ends with status 9.
 */
const standIn = `#!${process.execPath}
const env = process.env;
const key = env.ANTHROPIC_AUTH_TOKEN ?? env.OPENAI_API_KEY ?? env.GATEWAY_KEY;
const reply = await fetch(process.argv.at(-1) + '/v1/models', { headers: { authorization: 'Bearer ' + key } });
console.log(JSON.stringify({ status: reply.status, words: process.argv.slice(2), key, other: env.ANTHROPIC_API_KEY }));
process.exitCode = 7;
if (process.argv.includes('wait')) {
  process.on('SIGHUP', () => process.exit(9));
  setInterval(() => {}, 1000);
  console.error('waits');
}
`;

beforeAll(async () => {
  gateway = await startServedGateway();
  programs = join(gateway.directory, 'programs');
  await mkdir(programs);
  for (const name of Object.keys(launchableAgents)) {
    await writeFile(join(programs, `${name}.mjs`), standIn);
    await writeFile(join(programs, name), `#!/bin/sh\nexec '${process.execPath}' '${programs}/${name}.mjs' "$@"\n`);
    await chmod(join(programs, name), 0o755);
  }
});
afterAll(() => gateway.clean());

interface Launched {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function url(): string {
  return `http://127.0.0.1:${gateway.port}`;
}

async function launch(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Launched> {
  const parameters = [launcher, 'launch', '--data', join(gateway.directory, 'data'), ...words];
  const path = [programs, process.env['PATH']].join(delimiter);
  const run = promisify(execFile)(process.execPath, parameters, { env: { ...processEnvironment, PATH: path, ...env } });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as Launched,
  );
}

interface Report {
  readonly status: number;
  readonly words: readonly string[];
  readonly key: string;
  readonly other?: string;
}

async function keysNamed(name: string) {
  const store = await gateway.openStore();
  const keys = await store.db
    .selectFrom('api_keys')
    .select(['revoked_at', 'expires_at'])
    .where('name', '=', name)
    .execute();
  await store.close();
  return keys;
}

test.each(Object.keys(launchableAgents))(
  '%s reaches the gateway with a key that is revoked when it ends',
  async (name) => {
    const { code, stdout, stderr } = await launch([name, '--url', url(), '--', 'say', url()]);
    expect(stderr).toContain('No file of');
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ status: 200 });
    expect(report.words.slice(-2)).toEqual(['say', url()]);
    expect(code).toBe(7);
    expect(stderr).not.toContain(report.key);
    const keys = await keysNamed(`launch ${name}`);
    expect(keys).toEqual([{ revoked_at: expect.any(Number), expires_at: expect.any(Number) }]);
  },
);

test.each([
  ['SIGHUP', 9],
  ['SIGTERM', 143],
] as const)('%s reaches the agent, and its end is the end of the command', async (signal, status) => {
  const parameters = [launcher, 'launch', '--data', join(gateway.directory, 'data'), 'codex', '--url', url()];
  const env = { ...processEnvironment, PATH: [programs, process.env['PATH']].join(delimiter) };
  const child = spawn(process.execPath, [...parameters, '--', 'wait', url()], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const text of child.stderr.setEncoding('utf8')) if (String(text).includes('waits')) break;
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([status, null]);
  for (const { revoked_at: revokedAt } of await keysNamed('launch codex')) expect(revokedAt).not.toBeNull();
});

test('an agent gets the key in GATEWAY_KEY, and not that of another provider', async () => {
  const env = { GATEWAY_KEY: gateway.key, ANTHROPIC_API_KEY: 'other' };
  const { stdout } = await launch(['claude', '--url', url(), '--', url()], env);
  const report = JSON.parse(stdout) as Report;
  expect(report).toMatchObject({ status: 200, key: gateway.key });
  expect(report.other).toBeUndefined();
});

test('a program that is not installed costs no key that stays valid', async () => {
  const { code, stderr } = await launch(['qwen', '--url', url()], { PATH: '/nowhere' });
  expect(stderr).toContain('npm install --global @qwen-code/qwen-code');
  expect(code).toBe(1);
  for (const { revoked_at: revokedAt } of await keysNamed('launch qwen')) expect(revokedAt).not.toBeNull();
});

test('an address without a gateway is named before a key is created', async () => {
  const { code, stderr } = await launch(['opencode', '--url', gateway.provider.url]);
  expect(stderr).toMatch(/is not a Chat Gateway|does not respond/);
  expect(code).toBe(2);
});
