import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfigFile, parseConfig } from './load.ts';
import type { LocatedProblem } from './file/problem.ts';

const kinds = [
  { name: 'openai', hasAddress: false },
  { name: 'simulated', hasAddress: true },
  { name: 'deepseek', hasAddress: true },
  {
    name: 'cloud',
    hasAddress: true,
    own: {
      takes: ['region', 'access_key_id', 'secret_access_key', 'service_account'],
      needs: [
        { oneOf: [['region']], fix: 'Add a region.' },
        { oneOf: [['api_key'], ['access_key_id', 'secret_access_key']], fix: 'Add a key.' },
      ],
    },
  },
];

function parse(text: string, env: Record<string, string> = {}) {
  return parseConfig(text, { env, fileName: '/etc/gateway/gateway.yaml', kinds });
}

function configOf(text: string, env?: Record<string, string>) {
  const parsed = parse(text, env);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

function problemsOf(text: string, env?: Record<string, string>): readonly LocatedProblem[] {
  const parsed = parse(text, env);
  return parsed.ok ? [] : parsed.problems;
}

/** Each problem as `line:column path message`. */
function problemLines(text: string, env?: Record<string, string>): string[] {
  return problemsOf(text, env).map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);
}

const model = 'models: [{ id: m, routes: [{ upstream: s }], price: free }]';
const simulated = 'upstreams: [{ name: s, kind: simulated }]';

test('an empty file is a complete configuration', () => {
  for (const text of ['', '\n', '# nothing\n', '---\n', 'upstreams:\nlisten:\n']) {
    const config = configOf(text);
    expect(config.listen).toEqual({ host: '127.0.0.1', port: 8080, trustedProxies: [] });
    expect(config.data).toBe('/etc/gateway/data');
    expect(config.limits).toEqual({
      headerBytesMax: 16384,
      headersMax: 200,
      connectionsMax: 20_000,
      bodyBytesMax: 32 * 1024 * 1024,
      jsonDepthMax: 64,
      jsonTokensMax: 200_000,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 75_000,
      readerStallTimeout: 60_000,
    });
    expect(config.waiting).toEqual({
      holdHeaders: 10_000,
      keepAliveEvery: 10_000,
      maxWait: 600_000,
      maxRequests: 20_000,
      maxBytes: 1024 ** 3,
    });
    expect(config.packages).toEqual([{ name: 'standard', models: ['*'], weight: 1, priceFactor: '1' }]);
    const noSignUp = { title: 'Chat Gateway', signUp: false, signUpPackage: 'standard' };
    const main = {
      name: 'main',
      domains: ['*'],
      models: ['*'],
      honourStreamFalse: false,
      reportCost: false,
      messagesBearer: false,
      keyHeaders: [],
      pathPrefixes: [],
      unknownModelStatus: 403,
      ignoreFields: [],
      ...noSignUp,
    };
    expect(config.sites).toEqual([main]);
  }
});

test('bodies are stored only with `stored_bodies`, for a limited time and up to a size', () => {
  expect(configOf('').storedBodies).toBeUndefined();
  const bounds = { keep: 7 * 86_400_000, maxBytes: 256 * 1024, accountBytesMax: 256 * 1024 ** 2 };
  expect(configOf('stored_bodies: {}').storedBodies).toEqual({ ...bounds, memoryBytesMax: 64 * 1024 ** 2 });
  const secret = `gwk_live_${'0'.repeat(38)}`;
  const key = `accounts: [{ name: a, package: standard, keys: [{ name: k, secret: ${secret}, store_bodies: true }] }]`;
  expect(problemLines(key)).toEqual([expect.stringContaining('store_bodies needs `stored_bodies`')]);
  expect(problemLines(`${key}\nstored_bodies: {}`)).toEqual([]);
});

test('a key of another product needs a scheme, so that a mistyped key of the gateway is noticed', () => {
  const withKey = (key: string) =>
    problemLines(`accounts: [{ name: a, package: standard, keys: [{ name: k, ${key} }] }]`);
  expect(withKey('secret: sk-of-another-gateway')).toEqual([expect.stringContaining('must be a complete key')]);
  expect(withKey('secret: sk-of-another-gateway, scheme: plain')).toEqual([]);
  expect(withKey('secret: sk-abcdefgh, scheme: new-api')).toEqual([]);
  expect(withKey('secret: sk-abcdefgh-3, scheme: new-api')).toEqual([expect.stringContaining('must have no `-`')]);
  expect(withKey('secret: short, scheme: plain')).toEqual([expect.stringContaining('8 to 512')]);
});

test('a site refuses headers, paths and fields that cannot be meant', () => {
  const withSite = (setting: string) => problemLines(`sites: [{ name: s, domains: ["*"], models: ["*"], ${setting} }]`);
  for (const path of ['/', '/v1', '/api/v1', '/openai']) expect(withSite(`path_prefixes: ["${path}"]`)).toEqual([]);
  for (const path of ['', 'api', '/api/', '//', '/a b']) {
    expect(withSite(`path_prefixes: ["${path}"]`)).toEqual([expect.stringContaining('must begin with `/`')]);
  }
  expect(withSite('key_headers: [cookie]')).toEqual([expect.stringContaining('`x-litellm-api-key`')]);
  expect(withSite('ignore_fields: [litellm, team_note]')).toEqual([]);
  expect(withSite('ignore_fields: [messages]')).toEqual([expect.stringContaining('every request needs')]);
  expect(withSite('unknown_model_status: 404')).toEqual([]);
  expect(withSite('unknown_model_status: 400')).toHaveLength(1);
});

test('a model gets its defaults from its first route and its id', () => {
  const [first] = configOf(`${simulated}\n${model}`).models;
  expect(first).toMatchObject({
    id: 'm',
    aliases: [],
    ownedBy: 's',
    surfaces: ['anthropic', 'openai-response', 'openai'],
    thinking: false,
    repairArguments: false,
    untranslatable: 'hints',
    routes: [{ upstream: 's', model: 'm', priority: 0, weight: 1 }],
    price: 'free',
  });
});

test('surfaces are listed with the native one first and openai last', () => {
  const surfaces = (list: string) =>
    configOf(`${simulated}\nmodels: [{ id: m, routes: [{ upstream: s }], price: free, surfaces: ${list} }]`).models[0]
      ?.surfaces;
  expect(surfaces('[openai, anthropic]')).toEqual(['anthropic', 'openai']);
  expect(surfaces('[openai, openai-response]')).toEqual(['openai-response', 'openai']);
  expect(surfaces('[anthropic]')).toEqual(['anthropic']);
});

test('a model needs at least one surface and must not name one twice', () => {
  const surfaces = (list: string) =>
    problemLines(`${simulated}\nmodels: [{ id: m, routes: [{ upstream: s }], price: free, surfaces: ${list} }]`);
  expect(surfaces('[openai, openai]')).toEqual(['2:69 models[0].surfaces must not name the same entry twice']);
  expect(surfaces('[]')).toHaveLength(1);
  expect(surfaces('[chat]')).toHaveLength(1);
});

test('a price is a table of decimals in quotes', () => {
  const priced = (price: string) =>
    `${simulated}\nmodels:\n  - id: m\n    routes: [{ upstream: s }]\n    price: ${price}`;
  expect(
    configOf(priced('{ input: "2.50", cache_write_5m: "0.000001", output: "999999.999999" }')).models[0]?.price,
  ).toEqual({ input: '2.50', cacheWrite5m: '0.000001', output: '999999.999999' });
  expect(problemLines(priced('{ input: 2.5, output: "1" }'))).toEqual([
    '5:21 models[0].price.input must be a decimal number in quotes',
  ]);
  for (const wrong of ['-1', '1e3', '.5', '1.', '1,5', '0.0000001', '1000000', 'NaN', '']) {
    expect(problemLines(priced(`{ input: "${wrong}", output: "1" }`))[0]).toMatch(
      /^5:21 models\[0\]\.price\.input must be a decimal/,
    );
  }
  expect(problemLines(priced('{ input: "1" }'))).toEqual(['5:12 models[0].price.output is missing']);
  expect(problemLines(priced('cheap'))).toEqual(['5:12 models[0].price is not valid']);
});

test('a model without a price is refused, and the fix names `price: free`', () => {
  const [problem] = problemsOf(`${simulated}\nmodels:\n  - id: m\n    routes: [{ upstream: s }]`);
  expect(problem).toMatchObject({ line: 3, path: 'models[0].price', message: 'is missing' });
  expect(problem?.fix).toContain('`price: free`');
});

test('an unknown tool format is refused, and the fix names the closest one or all', () => {
  const formed = (format: string) =>
    problemsOf(`${simulated}\nmodels:\n  - { id: m, tool_format: ${format}, routes: [{ upstream: s }], price: free }`);
  expect(formed('kimi_k2')).toEqual([]);
  expect(formed('kimi-k2')).toMatchObject([{ path: 'models[0].tool_format', fix: 'Did you mean `kimi_k2`?' }]);
  expect(formed('nothing-like-it')[0]?.fix).toContain('hermes, ');
});

test('header names keep their underscores and case', () => {
  const text = 'upstreams: [{ name: a, kind: deepseek, headers: { x_team_Id: t } }]';
  expect(configOf(text).upstreams[0]?.headers).toEqual({ x_team_Id: 't' });
});

test('all problems are reported at once, each with its position and a fix', () => {
  const text = `listen: { prot: 80 }
log: { level: inof }
upstreams:
  - name: acme
    kind: opanai
    max_concurrency: lots
models:
  - id: large
    aliases: [small]
    routes: [{ upstream: acne }]
    price: free
  - id: small
    routes: []
    price: free
accounts:
  - { name: demo, package: gold }
`;
  expect(problemLines(text)).toEqual([
    '1:11 listen.prot is not a known field',
    '2:15 log.level must be one of `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
    '5:11 upstreams[0].kind `opanai` is not a kind of upstream',
    '6:22 upstreams[0].max_concurrency must be a whole number',
    '10:26 models[0].routes[0].upstream names `acne`, which is not in `upstreams`',
    '12:9 models[1].id `small` is already taken by `large` in `models`',
    '13:13 models[1].routes must have 1 or more entries',
    '16:28 accounts[0].package names `gold`, which is not in `packages`',
  ]);
  expect(problemsOf(text).map(({ fix }) => fix)).toEqual([
    'Did you mean `port`?',
    'Did you mean `info`?',
    'Did you mean `openai`?',
    'Write a whole number from 1 to 100000.',
    'Did you mean `acme`? Add it to `upstreams`, or use another name.',
    'Choose another, or remove one of the two.',
    'Add one. Ways to reach the model.',
    'Known names: `standard`. Add it to `packages`, or use another name.',
  ]);
});

test('a name that two entries use is refused in every section', () => {
  const twice = (section: string, entry: string) =>
    problemLines(`${simulated}\n${section}: [${entry}, ${entry}]`).join();
  expect(twice('models', '{ id: m, routes: [{ upstream: s }], price: free }')).toContain(
    'models[1].id `m` is already taken',
  );
  expect(twice('packages', '{ name: p, models: ["*"] }')).toContain('packages[1].name `p` is already taken');
  expect(twice('sites', '{ name: x, domains: [A.b], models: ["*"] }')).toContain(
    'sites[1].domains[0] `a.b` is already taken',
  );
  expect(twice('accounts', '{ name: d, package: standard }')).toContain('accounts[1].name `d` is already taken');
  expect(problemLines('upstreams: [{ name: s, kind: simulated }, { name: s, kind: simulated }]')).toHaveLength(1);
  expect(
    problemLines(`${simulated}\nmodels: [{ id: m, aliases: [m], routes: [{ upstream: s }], price: free }]`),
  ).toHaveLength(1);
});

test('an upstream of a kind without a default address needs one', () => {
  expect(problemLines('upstreams: [{ name: a, kind: openai }]')).toEqual([
    '1:13 upstreams[0].base_url is missing: the kind `openai` has no default address',
  ]);
  expect(problemLines('upstreams: [{ name: a, kind: deepseek }]')).toEqual([]);
});

test('an address must be http, and must not carry credentials', () => {
  const at = (address: string) => problemLines(`upstreams: [{ name: a, kind: openai, base_url: "${address}" }]`);
  expect(at('https://api.acme.example/v1')).toEqual([]);
  expect(at('http://127.0.0.1:8000/v1')).toEqual([]);
  for (const wrong of ['ftp://x.example', 'api.acme.example', 'file:///etc/passwd', 'https://u:p@x.example/v1', '']) {
    expect(at(wrong)).toHaveLength(1);
  }
});

test('a missing field that a kind needs is reported, with its fix', () => {
  const cloud = (more: string) => problemsOf(`upstreams: [{ name: a, kind: cloud, ${more} }]`);
  expect(cloud('').map(({ path, message, fix }) => `${path} ${message}. ${fix}`)).toEqual([
    'upstreams[0].region is missing: an upstream of the kind `cloud` needs it. Add a region.',
    'upstreams[0].api_key is missing: an upstream of the kind `cloud` needs it. Add a key.',
  ]);
  expect(cloud('region: us-east-1, api_key: k')).toEqual([]);
  expect(cloud('region: us-east-1, access_key_id: k').map(({ path }) => path)).toEqual(['upstreams[0].api_key']);
  expect(cloud('region: us-east-1, access_key_id: k, secret_access_key: s')).toEqual([]);
});

test('a setting that does not apply to the kind of an upstream is refused', () => {
  expect(problemLines('upstreams: [{ name: a, kind: deepseek, region: us-east-1 }]')).toEqual([
    '1:40 upstreams[0].region does not apply to the kind `deepseek`',
  ]);
  const cloud = (more: string) => problemLines(`upstreams: [{ name: a, kind: cloud, region: r, api_key: k, ${more} }]`);
  expect(cloud('project: p')).toEqual(['1:60 upstreams[0].project does not apply to the kind `cloud`']);
  expect(cloud('quirks: { suffix: true }, pass_trace: true')).toEqual([]);
});

test('a value that becomes part of a host name cannot change the host', () => {
  for (const wrong of ['evil.example/#', 'a.b', 'a:80', 'u@h', '-', '']) {
    expect(problemLines(`upstreams: [{ name: a, kind: cloud, region: "${wrong}", api_key: k }]`)).toHaveLength(1);
  }
});

test('a service account must be the document of its key, and problems never contain it', () => {
  const document = JSON.stringify({ client_email: 'a@b.example', private_key: '-----BEGIN PRIVATE KEY-----canary' });
  const at = (account: string) =>
    problemsOf('upstreams: [{ name: a, kind: cloud, region: r, api_key: k, service_account: "${ACCOUNT}" }]', {
      ACCOUNT: account,
    });
  expect(at(document)).toEqual([]);
  for (const wrong of ['canary', '{}', '[]', document.replace('client_email', 'email')]) {
    expect(at(wrong)).toMatchObject([{ path: 'upstreams[0].service_account' }]);
    expect(JSON.stringify(at(wrong))).not.toContain('canary');
  }
});

test('an upstream has one credential or a list of them, not both', () => {
  expect(problemLines('upstreams: [{ name: a, kind: deepseek, api_key: x, api_keys: [y] }]')).toEqual([
    '1:52 upstreams[0].api_keys cannot be combined with `api_key`',
  ]);
});

test('a header that frames requests or breaks lines is refused', () => {
  const header = (entry: string) => problemLines(`upstreams: [{ name: a, kind: deepseek, headers: { ${entry} } }]`);
  expect(header('X-Ok: "1"')).toEqual([]);
  for (const wrong of ['Host: x', 'Content-Length: "1"', '"a b": x', '"": x', 'X: "a\\r\\nb"']) {
    expect(header(wrong)).toHaveLength(1);
  }
});

test('a database must be an address of PostgreSQL', () => {
  const secret = `secret: ${'s'.repeat(32)}`;
  for (const address of ['postgres://u:p@db.example:5432/gateway', 'postgresql:///gateway?host=/run/postgresql']) {
    expect(configOf(`database: ${address}\n${secret}`).database).toBe(address);
  }
  for (const address of ['mysql://db.example/gateway', 'db.example', '"postgres://"', '"postgres://a b"']) {
    expect(problemLines(`database: ${address}\n${secret}`)).toEqual([
      '1:11 database must be a URL that begins with postgres:// or postgresql://',
    ]);
  }
});

test('a database needs a secret, which all machines share', () => {
  expect(problemLines('data: ./data\ndatabase: postgres://db.example/gateway')).toEqual([
    '2:1 database needs `secret`: all machines on the database check keys with the same secret',
  ]);
});

test('values from the environment are text, or the type that the setting needs', () => {
  const text = `listen: { host: "\${HOST}", port: "\${PORT}" }
sites: [{ name: main, domains: ["\${HOST}"], models: ["*"], honour_stream_false: "\${HONOUR}" }]
upstreams:
  - name: a
    kind: deepseek
    api_key: \${KEY}
`;
  const config = configOf(text, { HOST: 'x.example', PORT: '9000', HONOUR: 'true', KEY: '123456' });
  expect(config.listen).toMatchObject({ host: 'x.example', port: 9000 });
  expect(config.sites[0]?.honourStreamFalse).toBe(true);
  expect(config.upstreams[0]?.apiKey).toBe('123456');
});

test('the problem of a wrong value from the environment does not contain the value', () => {
  const problems = problemsOf('listen:\n  port: ${PORT}\nupstreams: [{ name: a, kind: deepseek, api_key: "${KEY}" }]', {
    PORT: 'canary',
    KEY: 'canary with spaces',
  });
  expect(problemLines('requests:\n  retention: ${DAYS}', { DAYS: '30' })).toEqual([
    '2:14 requests.retention must be a duration such as 500ms, 5s, 30m, 12h or 30d',
  ]);
  expect(problems.map(({ line, path }) => [line, path])).toEqual([
    [2, 'listen.port'],
    [3, 'upstreams[0].api_key'],
  ]);
  expect(JSON.stringify(problems)).not.toContain('canary');
});

test('a missing variable is reported once, without other problems of the same value', () => {
  expect(problemLines('listen:\n  port: ${PORT}\n')).toEqual(['2:9  The environment variable PORT is not set.']);
});

test('two dollar signs before braces give a literal one', () => {
  expect(configOf('coding_agents: ["$${NAME}"]').codingAgents).toEqual(['${NAME}']);
});

test('a YAML syntax error is reported once, with a fitting fix', () => {
  const fixOf = (text: string) => problemsOf(text).map(({ line, fix }) => `${line} ${fix}`);
  expect(fixOf('listen:\n\tport: 3')).toEqual(['2 Indent with spaces.']);
  expect(fixOf('listen: { port: ${P} }')).toEqual(['1 Put quotes around each "${NAME}" inside { } or [ ].']);
  expect(fixOf('listen: [')).toEqual(['1 Check indentation, colons and quotes here and on the line before.']);
  expect(fixOf('data: a\n---\ndata: b')).toEqual(['2 Remove this line and the document that does not belong here.']);
});

test('a duplicate name is reported together with other problems', () => {
  expect(problemLines('data: a\ndata: b\nnope: 1')).toEqual([
    '2:1  This name is used twice.',
    '3:1 nope is not a known field',
  ]);
});

test('a file that is not a group of names and values is refused', () => {
  for (const text of ['- a', 'hello', '7']) expect(problemLines(text)).toEqual(['1:1 The file must be an object']);
});

test('aliases that expand without limit are refused', () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const inner = level === 0 ? 'x' : `*l${level - 1}`;
    return `l${level}: &l${level} [${Array.from({ length: 9 }, () => inner).join(', ')}]`;
  });
  expect(problemsOf(levels.join('\n'))[0]?.message).toContain('anchors');
  expect(problemsOf('listen: *nowhere')[0]?.message).toContain('anchors');
});

test('entries may share parts through an anchor', () => {
  const text = `upstreams:
  - { name: a, kind: deepseek, timeouts: &slow { idle: "\${IDLE}" } }
  - { name: b, kind: deepseek, timeouts: *slow }`;
  expect(configOf(text, { IDLE: '9m' }).upstreams.map(({ timeouts }) => timeouts.idle)).toEqual([540_000, 540_000]);
});

test('a value shared by an anchor is checked where it is used, and located where it is written', () => {
  const text = (amount: string) => `upstreams:
  - { name: a, kind: deepseek, max_concurrency: &n "\${N}" }
  - { name: b, kind: deepseek, max_concurrency: *n, timeouts: &t { idle: ${amount} } }
  - { name: c, kind: deepseek, timeouts: *t }`;
  expect(configOf(text('5s'), { N: '7' }).upstreams.map(({ maxConcurrency }) => maxConcurrency)).toEqual([7, 7, 64]);
  expect(problemLines(text('soon'), { N: '7' }).map((each) => each.split(' ')[0])).toEqual(['3:74', '3:74']);
});

test('variables in names are not replaced', () => {
  expect(problemLines('"${NOPE}": 1')).toEqual(['1:1 ${NOPE} is not a known field']);
});

test('names of JavaScript’s own members are unknown names', () => {
  expect(problemLines('__proto__: { x: 1 }\nconstructor: 1\ntoString: 2')).toHaveLength(3);
  expect(problemLines('upstreams: [{ name: a, kind: constructor }]')[0]).toContain('is not a kind');
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('resources contain the entries of the file, without secrets', () => {
  const parsed = parse(`upstreams:
  - { name: a, kind: deepseek, api_key: canary, headers: { Authorization: canary } }
  - { name: b, kind: deepseek, api_keys: [canary], proxy: http://u:canary@proxy.example }
models: [{ id: m, routes: [{ upstream: a }], price: free }]`);
  if (!parsed.ok) throw new Error('not valid');
  expect(parsed.resources).toEqual([
    { kind: 'upstream', name: 'a', spec: { name: 'a', kind: 'deepseek' } },
    { kind: 'upstream', name: 'b', spec: { name: 'b', kind: 'deepseek' } },
    { kind: 'model', name: 'm', spec: { id: 'm', routes: [{ upstream: 'a' }], price: 'free' } },
    { kind: 'package', name: 'standard', spec: { name: 'standard', models: ['*'] } },
    { kind: 'site', name: 'main', spec: { name: 'main', domains: ['*'], models: ['*'] } },
  ]);
});

test('resources keep numbers from the environment as numbers', () => {
  const parsed = parse('upstreams: [{ name: a, kind: deepseek, max_concurrency: "${N}" }]', { N: '7' });
  expect(parsed.ok && parsed.resources[0]?.spec).toEqual({ name: 'a', kind: 'deepseek', max_concurrency: 7 });
});

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-config-'));
});
afterAll(() => rm(directory, { recursive: true }));

test('a relative data folder is relative to the file, and an absolute one is used unchanged', async () => {
  const file = join(directory, 'gateway.yaml');
  const dataOf = async (text: string) => {
    await writeFile(file, text);
    const loaded = await loadConfigFile(file, { env: {}, kinds });
    return loaded.ok ? loaded.config.data : loaded.problems;
  };
  expect(await dataOf('data: ./store')).toBe(join(directory, 'store'));
  expect(await dataOf('data: /var/lib/gateway')).toBe('/var/lib/gateway');
});

test('a file that cannot be read, or is too large, is reported as a problem', async () => {
  const missing = await loadConfigFile(join(directory, 'nowhere.yaml'), { env: {}, kinds });
  expect(missing).toMatchObject({ ok: false, problems: [{ line: 1, path: 'The file' }] });
  const large = join(directory, 'large.yaml');
  await writeFile(large, `# ${'x'.repeat(5 * 1024 * 1024)}`);
  const refused = await loadConfigFile(large, { env: {}, kinds });
  expect(refused).toMatchObject({ ok: false, problems: [{ message: 'is larger than 4 MiB' }] });
});

test('a site with sign-up must name a package that exists', () => {
  const sites = 'sites: [{ name: s, domains: ["*"], models: ["*"], sign_up: true, sign_up_package: gone }]';
  expect(problemsOf(sites)).toMatchObject([
    { path: 'sites[0].sign_up_package', message: expect.stringContaining('gone') },
  ]);
});

test('certificate paths are relative to the file, and an invalid one is reported with its line', async () => {
  const file = join(directory, 'gateway.yaml');
  const load = async (name: string) => {
    await writeFile(file, `upstreams:\n  - { name: a, kind: deepseek, ca_file: ${name} }\n`);
    return loadConfigFile(file, { env: {}, kinds });
  };
  const certificate = await readFile(
    new URL('../../../test/fixtures/upstreams/http1/other-cert.pem', import.meta.url),
    'utf8',
  );
  await writeFile(join(directory, 'ca.pem'), `# ours\n${certificate}${certificate}`);
  await writeFile(join(directory, 'broken.pem'), certificate.replace('MII', 'AAA'));
  await writeFile(join(directory, 'empty.pem'), 'nothing');
  const loaded = await load('./ca.pem');
  expect(loaded.ok && loaded.config.upstreams[0]?.ca?.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  for (const name of ['broken.pem', 'empty.pem', 'missing.pem']) {
    const refused = await load(name);
    expect(!refused.ok && refused.problems).toMatchObject([
      { line: 2, message: expect.stringContaining('cannot be used') },
    ]);
  }
});

test('a fallback to an unknown model, and a cycle of fallbacks, are reported with their line', () => {
  const models = (lines: string) => `${simulated}
models:
${lines}`;
  const entry = (id: string, ...names: string[]) =>
    `  - { id: ${id}, aliases: [${id}-latest], routes: [{ upstream: s }], price: free, fallbacks: [${names.map((name) => `{ model: ${name} }`).join(', ')}] }`;
  const problemLines = (text: string) =>
    problemsOf(text).map(({ line, path, message }) => `${line} ${path} ${message}`);
  const chain = [entry('a', 'b-latest', 'c'), entry('b', 'c'), entry('c')].join('\n');
  expect(configOf(models(chain)).models[0]?.fallbacks).toEqual([
    { model: 'b-latest', on: ['failure'] },
    { model: 'c', on: ['failure'] },
  ]);
  expect(problemLines(models(entry('a', 'bb')))).toEqual([
    '3 models[0].fallbacks[0].model names `bb`, which is not in `models`',
  ]);
  expect(problemLines(models([entry('a', 'c', 'b-latest'), entry('b', 'a-latest'), entry('c')].join('\n')))).toEqual([
    '3 models[0].fallbacks[1].model forms a cycle: `a` → `b` → `a`',
    '4 models[1].fallbacks[0].model forms a cycle: `b` → `a` → `b`',
  ]);
  expect(problemLines(models(entry('a', 'a')))).toEqual(['3 models[0].fallbacks[0].model forms a cycle: `a` → `a`']);
});
