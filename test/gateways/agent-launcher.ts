import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { launcher } from './launcher.ts';
import { processEnvironment } from './process-environment.ts';
import type { ServedGateway } from './served-gateway.ts';

export interface LaunchOptions {
  /** Code of a module that stands in for each agent. It has `key`, and `models()`, which lists the models with the key. */
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The address of the gateway. */
  readonly url?: string;
  /** The data folder. */
  readonly data?: string;
  /** The program that is started with the words of the command line. */
  readonly program?: readonly [file: string, ...words: string[]];
  readonly detached?: boolean;
}

export interface Launched {
  readonly child: ChildProcess;
  prints(pattern: RegExp): Promise<void>;
  /** The agent has closed its output too. */
  end(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Starts `chat-gateway launch` with a program that stands in for the agent. */
export async function launchAgent(
  gateway: ServedGateway,
  words: readonly string[],
  { agent = '', env, url, data, program, detached = false }: LaunchOptions = {},
): Promise<Launched> {
  const folder = await mkdtemp(join(gateway.directory, 'agents-'));
  await writeFile(join(folder, 'agent.mjs'), prelude(addressOf(gateway)) + agent);
  const script = `#!/bin/sh\nexec '${process.execPath}' '${folder}/agent.mjs' "$@"\n`;
  for (const name of ['claude', 'codex', 'opencode', 'qwen']) {
    await writeFile(join(folder, name), script, { mode: 0o755 });
  }
  const [file, ...first] = program ?? [process.execPath, launcher];
  const place = ['--url', url ?? addressOf(gateway), '--data', data ?? join(gateway.directory, 'data')];
  const child = spawn(file, [...first, 'launch', ...place, ...words], {
    env: { ...processEnvironment, PATH: [folder, process.env['PATH']].join(delimiter), ...env },
    detached,
  });
  // Ends the agent of a test that failed.
  onTestFinished(() => void child.kill('SIGTERM'));
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  }
  const closed = once(child, 'close');
  return {
    child,
    prints: (pattern) => eventually(() => expect(printed.stdout + printed.stderr).toMatch(pattern)),
    end: async () => {
      child.stdin.end();
      const [code] = (await closed) as [number | null];
      return { code, ...printed };
    },
  };
}

export function addressOf({ port }: ServedGateway): string {
  return `http://127.0.0.1:${port}`;
}

/** The newest key that `launch` created. */
export async function newestLaunchKey(gateway: ServedGateway) {
  const store = await gateway.openStore();
  const row = await store.db
    .selectFrom('api_keys')
    .select(['id', 'name', 'created_at', 'revoked_at', 'expires_at'])
    .where('name', 'like', 'launch %')
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  await store.close();
  return row;
}

const prelude = (url: string): string => `
const { ANTHROPIC_AUTH_TOKEN, OPENAI_API_KEY, GATEWAY_KEY } = process.env;
const key = ANTHROPIC_AUTH_TOKEN ?? OPENAI_API_KEY ?? GATEWAY_KEY;
const models = () => fetch('${url}/v1/models', { headers: { authorization: 'Bearer ' + key } });
`;
