import { access, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchAgent, type LaunchOptions, newestLaunchKey } from '../../../test/gateways/agent-launcher.ts';
import { type ServedGateway, startServedGateway } from '../../../test/gateways/served-gateway.ts';
import { launchableAgents } from './agents.ts';

let gateway: ServedGateway;

beforeAll(async () => {
  const model = {
    id: 'other',
    aliases: ['nickname'],
    routes: [{ upstream: 'fake' }],
    price: { input: '1', output: '2' },
  };
  const limited = { ...model, id: 'limited', aliases: [], context_window: 32_768 };
  const brief = { ...limited, id: 'brief', max_output_tokens: 4096 };
  gateway = await startServedGateway({ config: { models: [model, limited, brief] } });
});
afterAll(() => gateway.clean());

/** Lists the models, prints what the agent was given, and ends with status 7. */
const reporter = `
const { status } = await models();
const { ANTHROPIC_API_KEY: other, ANTHROPIC_MODEL: model } = process.env;
console.log(JSON.stringify({ status, words: process.argv.slice(2), key, other, model }));
process.exitCode = 7;
`;

interface Report {
  readonly status: number;
  readonly words: readonly string[];
  readonly key: string;
  readonly model?: string;
  readonly other?: string;
}

async function launch(words: readonly string[], options: LaunchOptions = {}) {
  const launched = await launchAgent(gateway, words, { agent: reporter, ...options });
  return launched.end();
}

test.each(Object.keys(launchableAgents))(
  '%s reaches the gateway with a key that is revoked when it ends',
  async (name) => {
    const { code, stdout, stderr } = await launch([name, '--', 'say', '--model', 'x', '--', '--help']);
    expect(stderr).toContain('No file of');
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ status: 200 });
    expect(report.words.slice(-5)).toEqual(['say', '--model', 'x', '--', '--help']);
    expect(code).toBe(7);
    expect(stderr).not.toContain(report.key);
    const key = await newestLaunchKey(gateway);
    expect(key).toMatchObject({ name: `launch ${name}`, revoked_at: expect.any(Number) });
  },
);

/** Prints the settings with the limits of the model, as the agent would read them. */
const limitsReporter = `
import { readFileSync } from 'node:fs';
const { env } = process;
const path = env.QWEN_CODE_SYSTEM_DEFAULTS_PATH;
console.log(JSON.stringify({
  claude: [env.CLAUDE_CODE_MAX_CONTEXT_TOKENS, env.CLAUDE_CODE_MAX_OUTPUT_TOKENS],
  opencode: Object.values(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '{}').provider?.gateway.models ?? {})[0]?.limit,
  qwen: [path && JSON.parse(readFileSync(path, 'utf8')), env.QWEN_CODE_MAX_OUTPUT_TOKENS],
  path,
}));
`;

test.each([
  ['limited', 32_768, 8192],
  ['brief', 32_768, 4096],
] as const)('agents get the context window and the longest answer of the model %s', async (model, context, output) => {
  const report = async (name: string) => {
    const { stdout } = await launch([name, '--model', model], { agent: limitsReporter });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  expect(await report('claude')).toMatchObject({ claude: [String(context), String(output)] });
  expect(await report('opencode')).toMatchObject({ opencode: { context, output } });
  const { qwen, path } = await report('qwen');
  expect(qwen).toEqual([{ model: { generationConfig: { contextWindowSize: context } } }, String(output)]);
  await expect(access(String(path))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('agents keep their own limits for a model without a context window', async () => {
  for (const name of ['claude', 'opencode', 'qwen']) {
    const { stdout } = await launch([name, '--model', 'other'], { agent: limitsReporter });
    expect(JSON.parse(stdout)).toEqual({ claude: [null, null], qwen: [null, null] });
  }
});

test('an agent has the input and the output of the command', async () => {
  const agent = `process.stdin.on('end', () => (process.exitCode = 3)).pipe(process.stdout);`;
  const launched = await launchAgent(gateway, ['claude'], { agent });
  launched.child.stdin!.write('one\ntwo\u0000three');
  expect(await launched.end()).toMatchObject({ code: 3, stdout: 'one\ntwo\u0000three' });
});

test('an agent gets the key in GATEWAY_KEY, and not that of another provider', async () => {
  const before = await newestLaunchKey(gateway);
  const env = { GATEWAY_KEY: gateway.key, ANTHROPIC_API_KEY: 'canary' };
  const { stdout, stderr } = await launch(['claude'], { env });
  const report = JSON.parse(stdout) as Report;
  expect(report).toMatchObject({ status: 200, key: gateway.key });
  expect(report.other).toBeUndefined();
  expect(stderr).toContain('Not passed on: ANTHROPIC_API_KEY.');
  expect(stderr).not.toContain('canary');
  expect(await newestLaunchKey(gateway)).toEqual(before);
});

test('a program that is not installed costs no key that stays valid', async () => {
  const { code, stderr } = await launch(['qwen'], { env: { PATH: '/nowhere' } });
  expect(stderr).toContain('npm install --global @qwen-code/qwen-code');
  expect(code).toBe(1);
  expect(await newestLaunchKey(gateway)).toMatchObject({ name: 'launch qwen', revoked_at: expect.any(Number) });
});

test('a program that may not be executed is named with the next step', async () => {
  const folder = join(gateway.directory, 'unfinished');
  await mkdir(folder);
  await writeFile(join(folder, 'claude'), '');
  const { code, stderr } = await launch(['claude'], { env: { PATH: [folder, '/nowhere'].join(delimiter) } });
  expect(stderr).toMatch(/error The program `claude` cannot be started: .*EACCES.*\nCheck/);
  expect(code).toBe(1);
  expect(await newestLaunchKey(gateway)).toMatchObject({ revoked_at: expect.any(Number) });
});

test('an alias is a model, and a name that does not exist is refused before the agent starts', async () => {
  const { stdout } = await launch(['claude', '--model', 'nickname']);
  expect(JSON.parse(stdout)).toMatchObject({ model: 'nickname' });
  const far = await launch(['claude', '--model', 'enormous/one']);
  expect(far).toMatchObject({ code: 2, stdout: '' });
  expect(far.stderr).toMatch(
    /^error Claude Code cannot use the model "enormous\/one" with this key\.\nUse one of: other, limited, brief$/m,
  );
  const near = await launch(['claude', '--model', 'othr']);
  expect(near).toMatchObject({ code: 2, stdout: '' });
  expect(near.stderr).toContain('Did you mean `other`?');
  expect(await newestLaunchKey(gateway)).toMatchObject({ revoked_at: expect.any(Number) });
});

test('an address without a gateway is named before a key is created', async () => {
  const before = await newestLaunchKey(gateway);
  const other = await launch(['opencode'], { url: gateway.provider.url });
  expect(other.stderr).toMatch(/is not a Chat Gateway\.\nPass the address/);
  expect(other).toMatchObject({ code: 2, stdout: '' });
  const nothing = await launch(['opencode'], { url: 'http://127.0.0.1:1' });
  expect(nothing.stderr).toMatch(/does not respond\.\nCheck that the gateway is running/);
  expect(nothing).toMatchObject({ code: 1, stdout: '' });
  expect(await newestLaunchKey(gateway)).toEqual(before);
});

test('a refused key is reported with the next step', async () => {
  const { code, stdout, stderr } = await launch(['codex'], { env: { GATEWAY_KEY: 'gwk_unknown' } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/refused the key \(status 401\)\.\nCheck that the key/);
});

test('without the store of the gateway the command asks for GATEWAY_KEY, and creates no store', async () => {
  const data = join(gateway.directory, 'elsewhere');
  const { code, stderr } = await launch(['codex'], { data });
  expect(stderr).toMatch(/There is no store in .*elsewhere, so no key can be created\.\nSet GATEWAY_KEY to a key of /);
  expect(code).toBe(1);
  expect(await readdir(gateway.directory)).not.toContain('elsewhere');
});

test('the status is that of the agent if the key cannot be revoked, and the key is named', async () => {
  const data = join(gateway.directory, 'linked');
  await symlink(join(gateway.directory, 'data'), data);
  const agent = `
    import { rmSync, writeFileSync } from 'node:fs';
    rmSync(${JSON.stringify(data)});
    writeFileSync(${JSON.stringify(data)}, '');
    process.exitCode = 7;`;
  const { code, stderr } = await launch(['claude', '--expires', '5m'], { data, agent });
  expect(code).toBe(7);
  const key = await newestLaunchKey(gateway);
  expect(key).toMatchObject({ revoked_at: null, expires_at: expect.any(Number) });
  expect(stderr).toContain(`The key ${key?.id} could not be revoked: `);
  expect(stderr).toContain(`It expires after 5m. To revoke it now: chat-gateway keys revoke ${key?.id}`);
});
