import { DatabaseSync } from 'node:sqlite';
import { createServer, request, type Server } from 'node:http';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { DoctorFinding } from '../src/cli/doctor/finding.ts';
import { command } from './gateways/command.ts';
import { fakeProvider, json } from './fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from './gateways/gateway.ts';

let gateway: TestGateway;
let directory: string;
const opened: { close(): unknown }[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-doctor-'));
  gateway = await startTestGateway((base) => ({
    ...base,
    upstreams: [{ name: 'pretend', kind: 'simulated' }],
    models: [{ id: 'pretender', routes: [{ upstream: 'pretend', model: 'sim-chat' }], price: 'free' }],
  }));
});
afterAll(async () => {
  for (const thing of opened) await thing.close();
  await gateway.stop();
  await rm(directory, { recursive: true });
});

/** Runs `doctor` and returns its findings; checks that the exit status matches them. */
async function findings(config: unknown, ...words: string[]): Promise<readonly DoctorFinding[]> {
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, typeof config === 'string' ? config : stringify(config));
  const { status, out, err } = await command('doctor', '--config', file, '--json', ...words);
  expect(err).toBe('');
  const document: { ok: boolean; findings: readonly DoctorFinding[] } = JSON.parse(out);
  expect([status, document.ok]).toEqual(
    document.findings.some(({ level }) => level === 'problem') ? [1, false] : [0, true],
  );
  for (const { level, fix } of document.findings) expect(typeof fix === 'string').toBe(level !== 'ok');
  return document.findings;
}

function about(all: readonly DoctorFinding[], area: string): string[] {
  return all.filter((finding) => finding.area === area).map(({ level, says }) => `${level}: ${says}`);
}

test('doctor reports each problem of the configuration file with its line, as JSON and as text', async () => {
  const wrong = 'listen: { port: eighty }\nupstreams: [{ name: a, kind: deepsek }]\n';
  expect(about(await findings(wrong), 'file')).toEqual([
    expect.stringMatching(/^problem: .*gateway\.yaml:1: listen\.port /),
    expect.stringMatching(/^problem: .*gateway\.yaml:2: upstreams\[0\]\.kind /),
  ]);
  const { out } = await command('doctor', '--config', join(directory, 'gateway.yaml'));
  expect(out).toMatch(/file .*\n +.*fix:.* Did you mean `deepseek`\?[^]*2 problems/);
});

test.each([
  ['listen: [', /:\d+: This is not valid YAML: .*[^.]\.$/],
  ['data: ${NOT_SET_ANYWHERE}\n', /:1: The environment variable NOT_SET_ANYWHERE is not set\.$/],
])('doctor ends the problem of %j with one full stop', async (wrong, sentence) => {
  expect(about(await findings(wrong), 'file')).toEqual([expect.stringMatching(sentence)]);
});

test('doctor warns if --data overrides the configured database', async () => {
  const config = { database: 'postgres://gateway:canary@127.0.0.1:1/gateway', secret: 's'.repeat(32) };
  const reported = about(await findings(config, '--data', join(directory, 'elsewhere')), 'file');
  expect(reported[1]).toMatch(/^warning: --data .*elsewhere overrides `database` in the configuration/);
  expect(reported.join()).not.toContain('canary');
});

test('doctor requests only model lists from providers, and reports each kind of failure', async () => {
  const provider = await fakeProvider();
  const key = await readFile(new URL('./fixtures/upstreams/http1/localhost-key.pem', import.meta.url), 'utf8');
  const ca_file = fileURLToPath(new URL('./fixtures/upstreams/http1/localhost-cert.pem', import.meta.url));
  const secure = await fakeProvider({ tls: { key, cert: await readFile(ca_file, 'utf8') } });
  opened.push(provider, secure);
  const base = provider.url.replace('/v1', '');
  const date = new Date(Date.now() - 3_600_000).toUTCString();
  const list = { data: [{ id: 'large' }] };
  provider.respond('GET /good/models', json(200, list, { date }));
  provider.respond('GET /keyless/models', json(401, { error: { message: 'bad key sk-canary-canary' } }));
  provider.respond('GET /listless/models', json(404, {}));
  secure.respond('GET /v1/models', json(200, list));
  const upstream = (name: string, base_url = `${base}/${name}`) => ({
    name,
    kind: 'openai',
    base_url,
    api_key: 'sk-canary-canary',
  });
  const all = await findings({
    data: directory,
    upstreams: [
      upstream('good'),
      upstream('keyless'),
      upstream('listless'),
      upstream('gone', 'http://127.0.0.1:1/v1'),
      { ...upstream('secure', secure.url), ca_file },
      upstream('untrusted', secure.url),
    ],
    models: [{ id: 'small', routes: [{ upstream: 'good' }, { upstream: 'secure', model: 'large' }], price: 'free' }],
  });
  expect(about(all, 'providers')).toEqual([
    expect.stringMatching(/^ok: good responds in \d+ ms and lists 1 models/),
    'warning: good does not list small, but routes use these models.',
    expect.stringMatching(/^problem: keyless: The provider refuses the credential/),
    expect.stringMatching(/^warning: listless is reachable/),
    expect.stringMatching(/^problem: gone: It cannot be reached: .*ECONNREFUSED/),
    expect.stringMatching(/^ok: secure responds/),
    expect.stringMatching(/^ok: The certificate of `ca_file` of secure is valid for \d+ days/),
    expect.stringMatching(/^ok: The certificate of secure is valid for/),
    expect.stringMatching(/^problem: untrusted: It cannot be reached: .*self-signed/),
  ]);
  expect(about(all, 'clock')).toEqual([
    expect.stringMatching(/^warning: The clock of good is 3\d{3} s behind the local clock/),
  ]);
  expect(JSON.stringify(all)).not.toContain('canary');
  expect(provider.calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
});

test('doctor checks each key of a provider and names the refused one by its place', async () => {
  const provider = await fakeProvider();
  opened.push(provider);
  const keys = [...Array(20).keys()].map((place) => `sk-canary-${place}`);
  const refusing = new Set([keys[1], keys[18]]);
  provider.respond('GET /v1/models', (writer, call) => {
    const key = String(call.headers.authorization).replace('Bearer ', '');
    const refusal = json(401, { error: { message: `bad key ${key}` } });
    return (refusing.has(key) ? refusal : json(200, { data: [{ id: 'large' }] }))(writer, call);
  });
  const base = { kind: 'openai', base_url: provider.url };
  const all = await findings({
    data: directory,
    upstreams: [
      { ...base, name: 'many', api_keys: keys },
      { ...base, name: 'fine', api_keys: [keys[0], keys[2]] },
      { ...base, name: 'late', api_keys: [keys[1], keys[0]] },
      { ...base, name: 'gone', api_keys: keys, base_url: 'http://127.0.0.1:1/v1' },
    ],
    models: [{ id: 'small', routes: [{ upstream: 'late' }], price: 'free' }],
  });
  const refused = 'The provider refuses the credential. It answered 401: {"error":{"message":"bad key [redacted]"}}';
  expect(about(all, 'providers')).toEqual([
    expect.stringMatching(/^ok: many responds in \d+ ms to 18 of its 20 keys and lists 1 models\./),
    `problem: many, api_keys[1]: ${refused}`,
    `problem: many, api_keys[18]: ${refused}`,
    expect.stringMatching(/^ok: fine responds in \d+ ms to each of its 2 keys and lists 1 models\./),
    expect.stringMatching(/^ok: late responds in \d+ ms to 1 of its 2 keys and lists 1 models\./),
    `problem: late, api_keys[0]: ${refused}`,
    'warning: late does not list small, but routes use these models.',
    expect.stringMatching(/^problem: gone: It cannot be reached: /),
  ]);
  expect(all.find(({ says }) => says.startsWith('many, api_keys[1]'))?.fix).toContain('`api_keys[1]` of many');
  expect(JSON.stringify(all)).not.toContain('canary');
});

test('doctor checks providers and models that are only in the store', async () => {
  const provider = await fakeProvider();
  opened.push(provider);
  provider.respond('GET /v1/models', json(200, { data: [{ id: 'large' }] }));
  const data = join(directory, 'with-providers');
  const add = (name: string, key: string) => {
    const named = ['--name', name, '--base-url', provider.url, '--api-key', key];
    return command('upstreams', 'add', '--preset', 'openai', ...named, '--data', data);
  };
  const config = { data: './with-providers', egress: { allow: ['127.0.0.0/8'] } };
  const providers = async () => about(await findings(config), 'providers');
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(['sk-canary']) as typeof process.stdin);
  expect(await add('stored', '-')).toMatchObject({ status: 0 });
  stdin.mockRestore();
  expect(await add('absent', '${NO_SUCH_VARIABLE}')).toMatchObject({ status: 0 });
  const small = ['small', '--route', 'stored', '--free', '--data', data];
  expect(await command('models', 'add', ...small)).toMatchObject({ status: 0 });
  expect(await providers()).toEqual([
    expect.stringMatching(/^problem: The stored upstream `absent` is left out: .*NO_SUCH_VARIABLE/),
    expect.stringMatching(/^ok: stored responds in/),
    'warning: stored does not list small, but routes use these models.',
  ]);
  expect(provider.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-canary']);
  for (const lose of [() => writeFile(join(data, 'secret.key'), 'x'), () => rm(join(data, 'secret.key'))]) {
    await lose();
    expect(await providers()).toEqual([expect.stringMatching(/^warning: The providers in the store are not checked/)]);
  }
  expect(existsSync(join(data, 'secret.key'))).toBe(false);
});

test('doctor checks a store without changing it: an older build, a newer version, a broken file, a lost secret', async () => {
  const data = join(directory, 'data');
  const stored = async () => about(await findings({ data: './data' }), 'store');
  expect(await stored()).toEqual([expect.stringMatching(/^ok: No store in/)]);
  await command('accounts', 'create', 'demo', '--data', data);
  await command('keys', 'create', '--account', 'demo', '--name', 'x', '--data', data);
  expect(await stored()).toEqual([expect.stringMatching(/^ok: .* is up to date/)]);
  const database = new DatabaseSync(join(data, 'gateway.db'));
  database.exec("delete from kysely_migration where name = '0001-baseline'");
  expect(await stored()).toEqual([expect.stringMatching(/^ok: .* The next start migrates it/)]);
  await rm(join(data, 'secret.key'));
  expect(await stored()).toEqual([expect.stringMatching(/^ok/), expect.stringMatching(/^problem: secret\.key is not/)]);
  database.exec("insert into kysely_migration values ('9999-future', '2030-01-01T00:00:00Z')");
  expect((await stored())[0]).toMatch(/^problem: .*a build before the first release \(it has 9999-future, and lacks/);
  database.exec("insert into kysely_migration values ('0001-baseline', '2030-01-01T00:00:00Z')");
  expect((await stored())[0]).toMatch(/^problem: .*newer version \(it has 9999-future\)/);
  database.close();
  await writeFile(join(data, 'gateway.db'), 'no database');
  expect(await stored()).toEqual([expect.stringMatching(/^problem: .*cannot be read: file is not a database/)]);
  const unreachable = { data: './data', database: 'postgres://u:canary@127.0.0.1:1/x', secret: 'x'.repeat(40) };
  const reported = about(await findings(unreachable), 'store');
  expect(reported).toEqual([expect.stringMatching(/^problem: PostgreSQL at 127\.0\.0\.1:1\/x cannot be read/)]);
  expect(reported.join()).not.toContain('canary');
});

test('doctor reports a configured secret that serve would reject', async () => {
  const data = join(directory, 'secretive');
  const withSecret = (letter: string) => ({ data: './secretive', secret: letter.repeat(40) });
  const stored = async (letter: string) => about(await findings(withSecret(letter)), 'store');
  const file = join(directory, 'gateway.yaml');
  await writeFile(file, stringify(withSecret('a')));
  await command('accounts', 'create', 'demo', '--config', file);
  await command('keys', 'create', '--account', 'demo', '--name', 'x', '--config', file);
  expect(await stored('a')).toEqual([expect.stringMatching(/^ok: .* is up to date/)]);
  expect(await stored('b')).toEqual([
    expect.stringMatching(/^ok/),
    expect.stringMatching(/^problem: The configured `secret` is not the secret/),
  ]);
  const changing = stringify({ ...withSecret('c'), other_secrets: ['a'.repeat(40)] });
  await writeFile(file, changing);
  await command('keys', 'create', '--account', 'demo', '--name', 'y', '--config', file);
  expect(about(await findings({ ...withSecret('c'), other_secrets: ['a'.repeat(40)] }), 'store')).toEqual([
    expect.stringMatching(/^ok/),
  ]);
  expect(await stored('c')).toEqual([
    expect.stringMatching(/^ok/),
    expect.stringMatching(/^problem: .* second secret/),
  ]);
  const database = new DatabaseSync(join(data, 'gateway.db'));
  database.exec('update api_keys set revoked_at = 1');
  database.close();
  expect(await stored('b')).toEqual([expect.stringMatching(/^ok/)]);
});

test('doctor checks the disk of the folder in --data', async () => {
  // The proc file system reports no free space.
  const all = await findings({ data: './data' }, '--data', '/proc/nowhere');
  expect(about(all, 'disk')).toEqual([expect.stringMatching(/^problem: /)]);
  expect(all.find(({ area }) => area === 'disk')?.fix).toContain('/proc/nowhere');
});

test('doctor checks a proxy with requests through it', async () => {
  const front = async (address: string) =>
    about(await findings({ data: directory }, '--url', address, '--key', gateway.key, '--model', 'pretender'), 'front');
  expect(await front(gateway.url)).toEqual([
    expect.stringMatching(/^ok: .* reaches the gateway/),
    expect.stringMatching(/^ok: The host and the protocol/),
    expect.stringMatching(/^ok: Connections are reused/),
    expect.stringMatching(/^ok: The proxy forwards bodies/),
    'ok: Answers are streamed.',
  ]);
  expect(await front(await badProxy())).toEqual([
    expect.stringMatching(/^ok: .* reaches the gateway/),
    expect.stringMatching(/^problem: The gateway receives the host /),
    expect.stringMatching(/^warning: Every request needs a new connection/),
    expect.stringMatching(/^problem: The proxy rejects large requests \(413\)/),
    expect.stringMatching(/^problem: The whole answer arrived at once/),
  ]);
  expect(await front(await patientProxy())).toContainEqual(expect.stringMatching(/^ok: The proxy forwards bodies/));
  const other = await listening(createServer((_request, response) => response.end('a page')));
  expect(await front(other)).toEqual([expect.stringMatching(/^problem: .* returned 200, but not from the gateway/)]);
  expect(await front('http://127.0.0.1:1')).toEqual([
    expect.stringMatching(/^problem: .* cannot be reached: .*ECONNREFUSED/),
  ]);
  expect(await command('doctor', '--url', 'gateway')).toMatchObject({ status: 2 });
});

/** A proxy that changes the host, closes every connection, rejects large bodies and buffers answers. */
function badProxy(): Promise<string> {
  return listening(
    createServer((incoming, response) => {
      response.setHeader('connection', 'close');
      if (Number(incoming.headers['content-length'] ?? 0) > 1_000_000) {
        response.writeHead(413).end('too large');
        return;
      }
      const { method, url: path, headers } = incoming;
      const outgoing = request({ port: gateway.port, method, path, headers: { ...headers, host: 'inside:8080' } });
      outgoing.on('response', (answer) => {
        void text(answer).then((whole) => {
          const { connection: _, 'transfer-encoding': __, ...kept } = answer.headers;
          response.writeHead(answer.statusCode ?? 0, kept).end(whole);
        });
      });
      incoming.pipe(outgoing);
    }),
  );
}

/** A proxy that passes a reply on only after a further part of the request's body, or its end, as Caddy does. */
function patientProxy(): Promise<string> {
  return listening(
    createServer((incoming, response) => {
      const { method, url: path, headers } = incoming;
      const outgoing = request({ port: gateway.port, method, path, headers });
      outgoing.on('error', () => {});
      response.on('close', () => outgoing.destroy());
      outgoing.on('response', (answer) => {
        const pass = (): void => {
          if (!response.headersSent) answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
        };
        if (incoming.complete) pass();
        else incoming.on('data', pass).on('end', pass);
      });
      incoming.on('data', (bytes) => outgoing.write(bytes)).on('end', () => outgoing.end());
    }),
  );
}

async function listening(server: Server): Promise<string> {
  opened.push({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
