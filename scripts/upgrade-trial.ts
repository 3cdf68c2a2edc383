import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// Replaces the gateway of an earlier commit with this one on the same embedded store, while clients send requests. Then
// tries to go back: `node scripts/upgrade-trial.ts COMMIT`. Every answered request must be in the ledger once. The
// earlier version must refuse the newer store with a message and leave it unchanged.
const [commit = 'HEAD~50'] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-upgrade-'));
const port = 18_790;
const config = join(folder, 'gateway.yaml');
const chargedSoFar = 40;
const configuration = {
  listen: { host: '127.0.0.1', port },
  data: './data',
  log: { level: 'error' },
  upstreams: [{ name: 'pretend', kind: 'simulated' }],
  models: [{ id: 'sim-chat', routes: [{ upstream: 'pretend' }], price: { input: '1', output: '2' } }],
  accounts: [{ name: 'demo', package: 'standard', credit: '50.00' }],
};

try {
  const before = checkedOut(commit);
  writeFileSync(config, JSON.stringify(configuration));
  let gateway = await serve(before);
  const key = JSON.parse(cli(before, 'keys', 'create', '--account', 'demo', '--name', 'x', '--json').stdout).secret;
  const done: string[] = [];
  const state = { isOver: false, lost: 0 };
  const clients = Array.from({ length: 8 }, () => client(key, done, state));
  await reached(done, chargedSoFar);
  await stopped(gateway);
  const answeredBefore = done.length;
  gateway = await serve(root);
  await reached(done, answeredBefore + chargedSoFar);
  state.isOver = true;
  await Promise.all(clients);
  await stopped(gateway);
  const verified = cli(root, 'ledger', 'verify');
  const lines = JSON.parse(cli(root, 'ledger', 'list', '--account', 'demo', '--limit', '10000', '--json').stdout);
  const charged = lines.filter(({ kind }: { kind: string }) => kind === 'charge');
  const references = charged.map(({ reference }: { reference: string }) => reference);
  const missing = done.filter((id) => !references.includes(id));
  const back = spawnSync(process.execPath, [launcher(before), 'serve', '--config', config], { timeout: 10_000 });
  const again = cli(root, 'ledger', 'verify');
  console.log(
    `answered before the upgrade ${answeredBefore}, after it ${done.length - answeredBefore}, aborted ${state.lost}`,
  );
  console.log(
    `charged ${references.length}, twice ${references.length - new Set(references).size}, missing ${missing.length}`,
  );
  console.log(`ledger ${verified.status === 0 && again.status === 0 ? 'sound' : 'NOT sound'}`);
  console.log(
    `downgrade: ${back.status === null ? 'served' : `exited with ${back.status}: ${String(back.stderr).trim()}`}`,
  );
  const isWell = missing.length === 0 && state.lost === 0 && verified.status === 0 && again.status === 0;
  process.exitCode = isWell ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkedOut(name: string): string {
  const checkout = join(folder, 'before');
  mkdirSync(checkout);
  const archive = execFileSync('git', ['archive', name], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', checkout], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

function launcher(checkout: string): string {
  return join(checkout, 'bin', 'chat-gateway.cjs');
}

function cli(checkout: string, ...words: readonly string[]) {
  return spawnSync(process.execPath, [launcher(checkout), ...words, '--config', config], { encoding: 'utf8' });
}

async function serve(checkout: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [launcher(checkout), 'serve', '--config', config], { stdio: 'ignore' });
  while (!(await isReady())) await delay(50);
  return child;
}

async function isReady(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function stopped(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function reached(done: readonly string[], count: number): Promise<void> {
  while (done.length < count) await delay(20);
}

/** Retries if the gateway does not answer or is stopping, as clients do. */
async function client(key: string, done: string[], state: { isOver: boolean; lost: number }): Promise<void> {
  const body = JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 });
  while (!state.isOver) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body,
    }).catch(() => undefined);
    if (response?.status !== 200) {
      await delay(50);
      continue;
    }
    const text = await response.text().catch(() => '');
    if (text.includes('[DONE]')) done.push(response.headers.get('x-gateway-request-id') ?? '');
    else state.lost += 1;
  }
}
