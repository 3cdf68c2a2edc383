import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { sourceStamp } from '../src/cli/serve/source-stamp.ts';
import { openStore } from '../src/platform/store/store.ts';
import { chunk, type FakeProvider, fakeProvider, finish, gate, sse, usage } from './fakes/fake-provider.ts';
import { launcher } from './gateways/launcher.ts';
import { processEnvironment } from './gateways/process-environment.ts';
import { newDatabase } from './stores/stores.ts';

const sourceLauncher = join(import.meta.dirname, '../bin/chat-gateway.cjs');
let directory: string;
let children: ChildProcess[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-serve-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

interface ProcessOptions {
  /** The program to start, if it is not the released gateway. */
  readonly program?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** A gateway in its own process, and its output so far. */
class Served {
  readonly child: ChildProcess;
  output = '';
  errors = '';
  readonly #closed: Promise<unknown>;

  constructor(args: readonly string[], { program = launcher, ...as }: ProcessOptions = {}) {
    const env = { ...processEnvironment, HOME: directory };
    this.child = spawn(process.execPath, [program, 'serve', ...args], { cwd: directory, env, ...as });
    this.#closed = once(this.child, 'close');
    children.push(this.child);
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.errors += bytes.toString();
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        this.output += bytes.toString();
      });
    }
  }

  async waitForOutput(pattern: RegExp): Promise<RegExpExecArray> {
    await expect.poll(() => this.output, { message: 'the output of the gateway' }).toMatch(pattern);
    return pattern.exec(this.output)!;
  }

  /** The first log line with this text. Standard error has only log lines. */
  logged(text: string): unknown {
    const lines = this.errors.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as { msg: string }).find(({ msg }) => msg.includes(text));
  }

  async url(): Promise<string> {
    return (await this.waitForOutput(/address +(http:\S+)/))[1]!;
  }

  /** The exit code, once the process has exited and all its output was read. */
  async exit(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }
}

/** Sends the request of a curl line. */
async function paste(line: string): Promise<Response> {
  const [, url = ''] = /curl (?:-N )?(\S+)/.exec(line) ?? [];
  const headers = [...line.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(
    (match) => [match[1]!, match[2]!] as [string, string],
  );
  const body = /-d '([^']+)'/.exec(line)?.[1];
  return fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, ...(body !== undefined && { body }) });
}

test('the first start prints a key once, and curl lines that work', async () => {
  const first = new Served(['--port', '0']);
  const [, key = ''] = await first.waitForOutput(/Your API key, shown only once: (gwk_live_\w+)/);
  await first.waitForOutput(/curl http.*\/v1\/models/);
  const docs = `${await first.url()}/docs`;
  await first.waitForOutput(new RegExp(`none, using defaults; ${docs}/configuration describes the file`));
  await first.waitForOutput(new RegExp(`Use it for the API .*, which ${docs}/admin-api describes`));
  const lines = first.output.split('\n').filter((line) => line.startsWith('curl '));
  expect(lines.length).toBeGreaterThanOrEqual(4);
  for (const line of lines) {
    // The console warns of clients that do not set `stream`.
    expect(line).toMatch(/"stream":true|v1\/models/);
    const response = await paste(line);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/data: \[DONE\]|event: message_stop|"success":true/);
  }
  first.child.kill('SIGKILL');
  await first.exit();

  const second = new Served(['--port', '0']);
  const url = await second.url();
  await second.waitForOutput(/Use an existing key/);
  expect(second.output).not.toContain(key);
  const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(models.status).toBe(200);
});

test('the version header changes with the source and with the catalog', async () => {
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, stringify({ listen: { port: 0 } }));
  const version = async () => {
    const served = new Served(['--config', file], { program: sourceLauncher });
    const { headers } = await fetch(`${await served.url()}/healthz`);
    served.child.kill('SIGTERM');
    await served.exit();
    return headers.get('x-gateway-version')!;
  };
  const source = sourceStamp(join(import.meta.dirname, '..'));
  expect((await version()) > source).toBe(true);
  const store = await openStore({ data: join(directory, 'data') });
  await store.db.updateTable('settings').set({ value: '0' }).where('name', '=', 'catalog_changed_at').execute();
  await store.close();
  expect(await version()).toBe(source);
});

function fileWith(provider: FakeProvider, models: readonly string[]): string {
  return stringify({
    listen: { port: 0 },
    upstreams: [{ name: 'fake', kind: 'openai', base_url: provider.url }],
    models: models.map((id) => ({ id, routes: [{ upstream: 'fake' }], price: 'free' })),
    accounts: [{ name: 'ann', package: 'standard' }],
  });
}

/** Replaces a file atomically, so that the gateway never reads half of it. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.next`, text);
  await rename(`${file}.next`, file);
}

async function keyFor(file: string): Promise<string> {
  const args = ['keys', 'create', '--account', 'ann', '--name', 'test', '--json', '--config', file];
  const child = spawn(process.execPath, [launcher, ...args], { cwd: directory });
  children.push(child);
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  await once(child, 'close');
  return (JSON.parse(output) as { secret: string }).secret;
}

async function listed(url: string, key: string): Promise<{ ids: string[]; version: string | null }> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return { ids: data.map(({ id }) => id), version: response.headers.get('x-gateway-version') };
}

test('a valid changed file is applied completely, an invalid one not at all', async () => {
  const provider = await fakeProvider();
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, fileWith(provider, ['one']));
  const key = await keyFor(file);
  const served = new Served(['--config', file]);
  const url = await served.url();
  const before = await listed(url, key);
  expect(before.ids).toEqual(['one']);

  const ids = async () => (await listed(url, key)).ids;
  await replaceFile(file, fileWith(provider, ['one', 'two']));
  await expect.poll(ids, { message: 'the models of the changed file' }).toEqual(['one', 'two']);
  expect((await listed(url, key)).version! > before.version!).toBe(true);

  await replaceFile(file, `${await readFile(file, 'utf8')}\nmodells: []\n`);
  served.child.kill('SIGHUP');
  await served.waitForOutput(/was not applied.*\n/);
  expect(served.logged('not applied')).toMatchObject({
    level: 'error',
    file,
    reason: expect.stringContaining('one problem'),
    problems: [{ path: 'modells', message: expect.any(String), fix: expect.any(String) }],
  });
  expect(await ids()).toEqual(['one', 'two']);

  await replaceFile(file, fileWith(provider, ['three']));
  await expect.poll(ids, { message: 'the models of the corrected file' }).toEqual(['three']);
  await provider.close();
});

test('a changed file without models or upstreams is rejected, unless --allow-empty is set', async () => {
  const provider = await fakeProvider();
  const file = join(directory, 'gateway.yaml');
  const whole = fileWith(provider, ['one']);
  await writeFile(file, whole);
  const key = await keyFor(file);
  const careful = new Served(['--config', file]);
  const url = await careful.url();
  const emptyFiles = ['', '# models: later\n', whole.slice(0, whole.indexOf('models:'))];
  for (const [index, text] of emptyFiles.entries()) {
    await replaceFile(file, text);
    await careful.waitForOutput(new RegExp(`(--allow-empty.*was not applied[^]*){${index + 1}}`));
    expect((await listed(url, key)).ids).toEqual(['one']);
  }
  careful.child.kill('SIGKILL');
  await careful.exit();

  await replaceFile(file, whole);
  const allowed = new Served(['--config', file, '--allow-empty']);
  const open = await allowed.url();
  expect((await listed(open, key)).ids).toEqual(['one']);
  await replaceFile(file, stringify({ listen: { port: 0 } }));
  await expect.poll(async () => (await listed(open, key)).ids, { message: 'the models left' }).toEqual([]);
  await provider.close();
});

test('a file change or a SIGHUP during the start is applied once the gateway runs', async () => {
  const provider = await fakeProvider();
  const file = join(directory, 'gateway.yaml');
  const database = new URL(await newDatabase());
  const proxy = await databaseProxy(Number(database.port));
  database.port = String(proxy.port);
  const text = (models: readonly string[]) =>
    `${fileWith(provider, models)}\ndatabase: ${database.href}\nsecret: ${'s'.repeat(32)}\n`;
  await writeFile(file, text(['one']));
  const served = new Served(['--config', file]);
  await served.waitForOutput(/Waiting for PostgreSQL/);
  served.child.kill('SIGHUP');
  await replaceFile(file, text(['one', 'two']));
  proxy.open();
  const url = await served.url();
  await served.waitForOutput(/was applied[^]*was applied/);
  expect((await listed(url, await keyFor(file))).ids).toEqual(['one', 'two']);
  served.child.kill('SIGTERM');
  expect(await served.exit()).toBe(0);
  await proxy.close();
  await provider.close();
});

/** A proxy to a database that resets every connection until `open()`. It occupies its port the whole time. */
async function databaseProxy(target: number): Promise<{ port: number; open(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let isOpen = false;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined);
  };
  const server = createServer((client) => {
    keep(client);
    if (!isOpen) return client.resetAndDestroy();
    const service = keep(connect(target, '127.0.0.1'));
    service.once('close', () => client.destroy());
    client.once('close', () => service.destroy());
    return client.pipe(service).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    open: () => void (isOpen = true),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('workers that wait for the database exit without output when their parent is killed', async () => {
  const file = join(directory, 'gateway.yaml');
  // No process listens on port 1.
  await writeFile(
    file,
    stringify({ workers: 2, database: 'postgres://user@127.0.0.1:1/none', secret: 's'.repeat(32) }),
  );
  const served = new Served(['--config', file, '--port', '0']);
  await served.waitForOutput(/Waiting for PostgreSQL.*\n/);
  // The output closes when the last worker has exited.
  const closed = once(served.child, 'close');
  served.child.kill('SIGKILL');
  await closed;
  expect(served.output).toMatch(/^Waiting for PostgreSQL.*\n$/);
});

test('a start fails with the line of an invalid file, or with a hint if the port is taken', async () => {
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, 'listen:\n  port: many\n');
  const wrong = new Served(['--config', file]);
  expect(await wrong.exit()).toBe(1);
  expect(wrong.output).toContain('gateway.yaml:2');

  await rm(file);
  const first = new Served(['--port', '0']);
  const { port } = new URL(await first.url());
  const second = new Served(['--port', port, '--data', join(directory, 'other')]);
  expect(await second.exit()).toBe(1);
  expect(second.output).toMatch(/used by another program[\s\S]*--port/);
});

test('without a configured port, the gateway uses and prints the next free one, unless another gateway has the port', async () => {
  // No other test listens on this address.
  const host = '127.0.0.77';
  const other = createServer((socket) => socket.destroy()).listen(8080, host);
  await once(other, 'listening');
  const args = ['--host', host, '--data'];
  const shifted = new Served([...args, join(directory, 'beside')]);
  expect(new URL(await shifted.url()).port).toBe('8081');
  expect(shifted.output).toContain('Port 8080 on 127.0.0.77 is used by another program. This gateway uses port 8081.');
  const strict = new Served([...args, join(directory, 'strict'), '--port', '8080']);
  expect(await strict.exit()).toBe(1);
  expect(strict.output).toContain('Port 8080 on 127.0.0.77 is used');
  other.close();
  await once(other, 'close');

  const first = new Served([...args, join(directory, 'first')]);
  expect(new URL(await first.url()).port).toBe('8080');
  const second = new Served([...args, join(directory, 'second')]);
  expect(await second.exit()).toBe(1);
  expect(second.output).toContain('Port 8080 on 127.0.0.77 is used');
});

test('a gateway whose port is taken exits, although its health port is free', async () => {
  const first = new Served(['--port', '0']);
  const { port } = new URL(await first.url());
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, stringify({ listen: { port: Number(port), health_port: 0 }, data: './other' }));
  const second = new Served(['--config', file]);
  await second.waitForOutput(/used by another program/);
  expect(await second.exit()).toBe(1);
});

test('a gateway whose output pipe is closed keeps running', async () => {
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, stringify({ listen: { port: 0 } }));
  const served = new Served(['--config', file]);
  const url = await served.url();
  served.child.stdout?.destroy();
  served.child.kill('SIGHUP');
  await replaceFile(file, stringify({ listen: { port: 0 }, models: 'none' }));
  await served.waitForOutput(/was not applied/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  served.child.kill('SIGTERM');
  expect(await served.exit()).toBe(0);
});

test('the error for an unwritable data folder names the folder, the user and a fix', async () => {
  const locked = join(directory, 'locked');
  await mkdir(locked);
  await chmod(locked, 0o555);
  await chmod(directory, 0o755);
  // Permissions do not apply to root.
  const isRoot = process.getuid?.() === 0;
  for (const data of [locked, join(locked, 'deeper')]) {
    const served = new Served(['--port', '0', '--data', data], isRoot ? { uid: 65_534, gid: 65_534 } : {});
    expect(await served.exit()).toBe(1);
    const user = isRoot ? 'nobody' : userInfo().username;
    expect(served.output).toContain(`The data folder ${data} may not be used by ${user}: EACCES`);
    expect(served.output).toContain(`chown -R ${user} ${data}`);
  }
});

test('after SIGTERM, the gateway completes a running answer and exits', async () => {
  const provider = await fakeProvider();
  const { opened, open } = gate();
  const begun = chunk({ role: 'assistant', content: 'one' });
  provider.respond('one', sse([begun, opened, chunk({ content: ' two' }), finish('stop'), usage(1, 2), '[DONE]']));
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, fileWith(provider, ['one']));
  const key = await keyFor(file);
  const served = new Served(['--config', file]);
  const url = await served.url();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'one', messages: [{ role: 'user', content: 'x' }] }),
  });
  served.child.kill('SIGTERM');
  await served.waitForOutput(/Stopping/);
  const statusOrError = () =>
    fetch(`${url}/v1/models`).then(
      ({ status }) => status,
      ({ message }) => message,
    );
  await expect.poll(statusOrError, { message: 'a request to a gateway that stops' }).toBe('fetch failed');
  open();
  expect(await response.text()).toContain('data: [DONE]');
  expect(await served.exit()).toBe(0);
  await provider.close();
});
