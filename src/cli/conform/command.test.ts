import { stripVTControlCharacters } from 'node:util';
import { Command, CommanderError } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { CliError } from '../terminal/output.ts';
import { registerConform } from './command.ts';
import { changing, changingJson, replaceReply, to, toChat } from 'chat-gateway-conform/fake/change.ts';
import { type FakeGateway, fakeGateway } from 'chat-gateway-conform/fake/gateway.ts';
import { errorReply } from 'chat-gateway-conform/fake/reply.ts';

let fake: FakeGateway;
const printed = vi.spyOn(console, 'log');
beforeAll(async () => {
  fake = await fakeGateway();
});
beforeEach(() => {
  fake.setFault({});
  printed.mockReset().mockImplementation(() => {});
  process.exitCode = undefined;
});
afterEach(() => {
  process.exitCode = undefined;
});
afterAll(() => fake.close());

const wrongDate = changingJson(to('/v1/models', 'GET'), ({ data }) =>
  data.forEach((entry) => void (entry.created = 1)),
);

test('conform prints the groups, a table and a summary line', async () => {
  await runConform(fake.url, '--key', fake.key, '--only', 'models,http');
  const text = output();
  expect(text).toContain('The catalog, GET /v1/models models\n  ✓ The catalog is a JSON object with object "list"');
  expect(text).toMatch(/GROUP +✓ +✗ +–\nmodels +8 +0 +0\nhttp +3 +0 +0/);
  expect(text).toMatch(/No check failed: 11 passed, 0 skipped \(http:.*, model fake-chat-2026-01-02\)\.$/);
  expect(printed).toHaveBeenCalledTimes(3);
  expect(process.exitCode).toBeUndefined();
});

test('conform prints expected and seen values of a failure, and exits with 1', async () => {
  fake.setFault(wrongDate);
  await runConform(fake.url, '--key', fake.key, '--only', 'models');
  const text = output();
  expect(text).toContain('  ✗ Every model has the same placeholder for its creation time models/created\n');
  expect(text).toMatch(/ {6}expected created 1626777600\n {6}seen {5}\{"id":"fake-chat-2026-01-02",.*"created":1,/);
  expect(text).toContain('1 check failed: models/created. 7 passed, 0 skipped');
  expect(process.exitCode).toBe(1);
});

test('conform prints the reason of a skipped check', async () => {
  await runConform(fake.url, '--key', fake.key, '--only', 'messages-surface', '--messages-prefix', 'elsewhere/');
  expect(output()).toContain('skipped: this deployment has no /elsewhere/v1/messages');
});

test('conform --json prints one document', async () => {
  fake.setFault(wrongDate);
  await runConform(fake.url, '--key', fake.key, '--only', 'models', '--json');
  expect(printed).toHaveBeenCalledTimes(1);
  const document = JSON.parse(output()) as Record<string, unknown> & { groups: { checks: unknown[] }[] };
  expect(document).toMatchObject({
    base_url: fake.url,
    model: 'fake-chat-2026-01-02',
    passed: 7,
    failed: 1,
    skipped: 0,
  });
  expect(document.groups[0]?.checks).toContainEqual({
    id: 'models/created',
    title: 'Every model has the same placeholder for its creation time',
    outcome: 'fail',
    expected: 'created 1626777600',
    seen: expect.stringContaining('"created":1'),
  });
  expect(process.exitCode).toBe(1);
});

test('conform reports an unreachable deployment with the next step', async () => {
  const gone = await fakeGateway();
  gone.close();
  const failure = await runConform(gone.url, '--key', 'k').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CliError);
  expect(failure).toMatchObject({ exitCode: 1, next: expect.stringContaining('address is right') });
});

test('conform stops at once if the deployment refuses the key', async () => {
  const failure = await runConform(fake.url, '--key', 'wrong').catch((error: unknown) => error);
  expect(failure).toMatchObject({
    exitCode: 1,
    reason: 'deployment_refuses_key',
    params: { url: fake.url, status: 401 },
  });
  expect(printed).not.toHaveBeenCalled();
});

test.each([502, 403])('conform stops at once if a simple request gets %i', async (status) => {
  const text = `Wrong key ${fake.key}.`;
  fake.setFault(changing(toChat, (reply) => replaceReply(reply, errorReply(status, 'no', 'upstream_error', text))));
  const failure = await runConform(fake.url, '--key', fake.key).catch((error: unknown) => error);
  expect(failure).toMatchObject({ exitCode: 1, reason: 'deployment_model_fails' });
  expect((failure as CliError).message).toMatch(
    new RegExp(`model "fake-chat-2026-01-02" of .* request: ${status} .*Wrong key \\(the key\\)`),
  );
  expect(printed).not.toHaveBeenCalled();
});

test('conform sends no chat for the groups that were chosen', async () => {
  fake.setFault(changing(toChat, (reply) => void (reply.status = 502)));
  await runConform(fake.url, '--key', fake.key, '--only', 'models');
  expect(output()).toContain('No check failed');
});

test.each([
  ['no key', ['http://127.0.0.1:1']],
  ['no address', ['--key', 'k']],
  ['an address without http', ['localhost:8080', '--key', 'k']],
  ['an address with a query', ['http://127.0.0.1:1/?a=b', '--key', 'k']],
  ['an unknown group', ['http://127.0.0.1:1', '--key', 'k', '--only', 'weather']],
  ['no group', ['http://127.0.0.1:1', '--key', 'k', '--only', '']],
  ['a timeout without a unit', ['http://127.0.0.1:1', '--key', 'k', '--timeout', '60']],
])('conform reports %s as a usage error', async (_case, words) => {
  await expect(runConform(...words)).rejects.toBeInstanceOf(CommanderError);
});

async function runConform(...words: readonly string[]): Promise<void> {
  const program = new Command('chat-gateway').option('--json').exitOverride();
  registerConform(program);
  const silent = { writeErr: () => {} };
  for (const command of [program, ...program.commands]) command.configureOutput(silent);
  await program.parseAsync(['conform', ...words], { from: 'user' });
}

function output(): string {
  return stripVTControlCharacters(printed.mock.calls.map((words) => String(words[0])).join('\n'));
}
