import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyFont, fonts, writeRuntime } from '../scripts/release/build.ts';
import { publishedManifest } from '../scripts/release/manifest.ts';
import { sourceStamp } from '../src/cli/serve/source-stamp.ts';
import { processEnvironment } from './gateways/process-environment.ts';
import { service } from './services/service.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'));
const home = join(folder, 'home');
const installed = join(home, 'node_modules/chat-gateway');
const bytesMax = 25_000_000;
let child: ChildProcess | undefined;

const weather = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const strictTool = { type: 'function', function: { name: 'get_weather', strict: true, parameters: weather } };
const answerIn = (schema: object) => ({ type: 'json_schema', json_schema: { name: 'weather', schema } });

const built = join(folder, 'made');

/** Creates the files of `npm pack` in a separate folder, because other tests use this one. */
beforeAll(async () => {
  cpSync(join(await service('GET', 'gateway'), 'dist'), join(built, 'dist'), { recursive: true });
  writeRuntime(root, join(built, 'dist'));
  for (const font of fonts) copyFont(root, join(built, 'dist'), font);
  for (const path of ['bin', 'packages/dashboard/dist', 'gateway.example.yaml']) {
    cpSync(join(root, path), join(built, path), { recursive: true });
  }
  writeFileSync(join(built, 'package.json'), publishedManifest(readFileSync(join(root, 'package.json'), 'utf8')));
});

/** Installs them in an empty folder. The package has no dependencies, so npm needs no registry. */
beforeAll(async () => {
  mkdirSync(home);
  await run('npm', ['install', '--offline', '--install-links', '--no-audit', built], { cwd: home });
});

afterAll(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('every file that the README links to is in the package', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: readonly string[] };
  const links = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)];
  const linked = new Set(links.map(([, path]) => path!));
  expect(linked.size).toBeGreaterThan(10);
  // npm always packs LICENSE.
  const packed = (path: string) =>
    path === 'LICENSE' || files.some((file) => path === file || path.startsWith(`${file}/`));
  expect([...linked].filter((path) => !packed(path))).toEqual([]);
});

test('a gateway installed from the package answers requests', async () => {
  const program = join(home, 'node_modules/.bin/chat-gateway');
  const started = spawn(process.execPath, [program, 'serve', '--port', '0'], { cwd: home, env: processEnvironment });
  child = started;
  const [url, key] = await printedUrlAndKey(started);
  const postChat = (body: object): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello!' }], ...body }),
    });
  const response = await postChat({});
  expect(response.headers.get('x-gateway-version')! >= sourceStamp(root)).toBe(true);
  expect(await response.text()).toContain('data: [DONE]');
  expect(await (await fetch(`${url}/app`)).text()).toContain('<div id="root">');
  // The package validates the answer against the schema in a worker thread of its own.
  const shaped = await postChat({ tools: [strictTool], response_format: answerIn(weather) });
  expect(JSON.parse(contentIn(await shaped.text()))).toEqual({ city: expect.any(String) });
  const refused = await postChat({ response_format: answerIn({ type: 'weather' }) });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('cannot be used: /type')]);
  started.kill('SIGTERM');
  expect(await once(started, 'exit')).toEqual([0, null]);
});

test('the package is smaller than 25 MB and installs no other package', () => {
  const files = globSync('**/*', { cwd: installed }).map((file) => statSync(join(installed, file)));
  const bytes = files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThan(bytesMax);
  expect(globSync('node_modules/*', { cwd: home })).toEqual(['node_modules/chat-gateway']);
});

test('all lazily loaded modules of the package can be loaded', async () => {
  const late = globSync('dist/**/*.js', { cwd: installed }).flatMap((file) => {
    const text = readFileSync(join(installed, file), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
    return [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, path]) => join(installed, file, '..', path!));
  });
  expect(late.length).toBeGreaterThan(20);
  const program = `await Promise.all(${JSON.stringify([...new Set(late)])}.map((path) => import(path)))`;
  await run(process.execPath, ['--input-type=module', '-e', program], { cwd: home, env: processEnvironment });
});

test('the package renders a document with the font that it contains', async () => {
  const subject = { paid: 'payment', paymentId: 'pay_1', provider: 'stripe', paidAt: 0 };
  const named = { number: 'R-2026-000001', kind: 'receipt', accountId: 'acc_1', reference: 'pay_1', issuedAt: 0 };
  const document = { ...named, currency: 'USD', customer: { name: '上海示例', address: [] }, subject };
  const program = `
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(${JSON.stringify(join(installed, 'dist/money/documents/pdf/pdf-worker.js'))}, { execArgv: [] });
    const document = { ...${JSON.stringify(document)}, amount: 20000000000n };
    worker.on('message', (message) => {
      if (message === 'ready') return worker.postMessage({ document, language: 'zh' });
      console.log(message.failed ?? Buffer.from(message.pdf).toString('latin1', 0, 5));
      void worker.terminate();
    });
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    cwd: home,
    env: processEnvironment,
  });
  expect(stdout.trim()).toBe('%PDF-');
});

/** The joined content of an answer's chunks. */
function contentIn(stream: string): string {
  const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));
  return chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');
}

/** The URL and the key that a first start prints. */
async function printedUrlAndKey({ stdout }: ChildProcess): Promise<readonly [string, string]> {
  let url = '';
  for await (const line of createInterface({ input: stdout! })) {
    url = /^address +(\S+)/.exec(line)?.[1] ?? url;
    const key = /API key, shown only once: (\S+)/.exec(line)?.[1];
    if (key !== undefined) return [url, key];
  }
  throw new Error('The gateway exited before it printed a key.');
}
