import { execFile } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import type { BenchStage } from '../stage.ts';
import { pidOf, type Target, waitUntilListening } from './target.ts';

const packageName = '@portkey-ai/gateway';
const installWithinMs = 180_000;

/** Later versions of its HTTP server give it headers that it may not change, and every answer becomes a 500. */
const manifest = {
  dependencies: { [packageName]: '1.15.2' },
  overrides: { '@hono/node-server': '1.13.8' },
};

/** Fetches Portkey's gateway into the folder of this run. Throws npm's message if that fails. */
export async function fetchPortkey(stage: BenchStage): Promise<string> {
  const folder = mkdtempSync(join(stage.directory, 'portkey-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev'];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: installWithinMs });
  return join(folder, 'node_modules', packageName, 'build/start-server.js');
}

/**
 * Portkey's gateway in its default set-up: without keys, ledger and log. Each request contains its target address. It
 * refuses the loopback IP address, but not the name.
 */
export async function startPortkey(stage: BenchStage, program: string): Promise<Target> {
  const port = await freePort();
  const logFile = join(mkdtempSync(join(stage.directory, 'portkey-run-')), 'output.log');
  const log = openSync(logFile, 'w');
  const child = stage.children.spawn(process.execPath, [program, `--port=${port}`, '--headless'], {
    stdio: ['ignore', log, log],
  });
  await waitUntilListening(child, port, () => `Portkey: ${readFileSync(logFile, 'utf8').slice(-500)}`);
  const headers = ['x-portkey-provider: openai', `x-portkey-custom-host: http://localhost:${stage.upstreamPort}/v1`];
  return {
    name: 'portkey',
    address: { port, key: 'none', headers },
    pid: pidOf(child),
    stop: () => stage.children.stop(child),
  };
}
