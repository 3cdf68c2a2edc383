import { mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { freePort } from '../free-port.ts';
import type { BenchStage } from '../stage.ts';
import { pidOf, type Target, waitUntilListening } from './target.ts';

/** Another gateway on this machine: `NAME=COMMAND` of the command line, with the file `bench/peers/NAME.yaml`. */
export interface Peer {
  readonly name: string;
  readonly command: readonly string[];
  readonly setUp: SetUp;
}

/** In all texts, `{port}` is its port, `{upstream}` the port of the fake provider, `{folder}` the folder of its files. */
const setUpSchema = z.strictObject({
  /** The features that are on or off, for the report. */
  configured: z.string(),
  arguments: z.array(z.string()),
  files: z.record(z.string(), z.string()).default({}),
  environment: z.record(z.string(), z.string()).default({}),
  headers: z.array(z.string()).default([]),
  key: z.string().default('none'),
});
type SetUp = z.infer<typeof setUpSchema>;

/** A Python program needs a while to import its modules. */
const readyWithinMs = 180_000;

export function readPeer(option: string): Peer {
  const [, name = '', command = ''] = /^([a-z0-9-]+)=(.+)$/.exec(option) ?? [];
  if (command === '') throw new Error(`--peers ${option}: write NAME=COMMAND, with a file bench/peers/NAME.yaml.`);
  const file = join(import.meta.dirname, '../peers', `${name}.yaml`);
  return {
    name,
    command: command.split(' ').filter(Boolean),
    setUp: setUpSchema.parse(parse(readFileSync(file, 'utf8'))),
  };
}

export async function startPeer(stage: BenchStage, { name, command, setUp }: Peer): Promise<Target> {
  const port = await freePort();
  const folder = mkdtempSync(join(stage.directory, `${name}-`));
  const filled = (text: string) =>
    text
      .replaceAll('{port}', String(port))
      .replaceAll('{upstream}', String(stage.upstreamPort))
      .replaceAll('{folder}', folder);
  for (const [file, text] of Object.entries(setUp.files)) writeFileSync(join(folder, file), filled(text));
  const logFile = join(folder, 'output.log');
  const log = openSync(logFile, 'w');
  const [program = '', ...words] = command;
  const child = stage.children.spawn(program, [...words, ...setUp.arguments.map(filled)], {
    cwd: folder,
    env: { ...process.env, ...setUp.environment },
    stdio: ['ignore', log, log],
  });
  await waitUntilListening(child, port, () => `${name}: ${readFileSync(logFile, 'utf8').slice(-500)}`, readyWithinMs);
  return {
    name,
    address: { port, key: setUp.key, headers: setUp.headers.map(filled) },
    pid: pidOf(child),
    stop: () => stage.children.stop(child),
  };
}
