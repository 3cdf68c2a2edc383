import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';
import { launcher } from '../../../test/gateways/launcher.ts';
import { litellmHash, litellmSchema } from 'chat-gateway-import/fixtures/litellm-source.ts';
import { fillSqlite } from 'chat-gateway-import/fixtures/source-tables.ts';

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-follow-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const [kept, ended, added, reader] = ['kept', 'ended', 'added', 'reader'].map((name) => litellmHash(`sk-${name}-key`));

test('--follow takes only what changed in the source between two rounds, and ends with status 0 at SIGTERM', async () => {
  const source = join(folder, 'litellm.db');
  fillSqlite(source, litellmSchema, {
    LiteLLM_TeamTable: [
      { team_id: 't', team_alias: 'red', max_budget: 10, budget_duration: '30d', spend: 2, models: [] },
      { team_id: 'u', team_alias: 'blue', max_budget: 5, spend: 1, models: [] },
    ],
    LiteLLM_VerificationToken: [
      { token: kept, key_alias: 'kept', team_id: 't', spend: 2 },
      { token: ended, key_alias: 'ended', team_id: 't' },
      { token: reader, key_alias: 'reader', team_id: 't', allowed_routes: ['info_routes'] },
    ],
  });
  const words = ['import', 'litellm', source, '--data', join(folder, 'data'), '--json', '--follow', '--every', '1s'];
  child = spawn(process.execPath, [launcher, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const rounds = jsonDocuments(child);
  const first = await nextRound(rounds);
  expect(outcomesOf(first)).toEqual({ created: ['blue', 'ended', 'kept', 'reader', 'red'] });
  expect(findingsOf(first)).toEqual(['key_limits_lost reader']);
  expect(first.sums.spend).toMatchObject({ source: '3.00', booked: '3.00' });

  change(source, [
    `update LiteLLM_TeamTable set max_budget = 20, spend = 4 where team_id = 't'`,
    `update LiteLLM_VerificationToken set spend = 4 where key_alias = 'kept'`,
    `update LiteLLM_VerificationToken set blocked = 1 where key_alias = 'ended'`,
    `insert into LiteLLM_VerificationToken (token, key_alias, team_id, allowed_routes)
     values ('${added}', 'added', 't', '["info_routes"]')`,
  ]);
  const second = await nextRound(rounds);
  const unchanged = ['blue', 'kept', 'reader'];
  expect(outcomesOf(second)).toEqual({ changed: ['ended', 'red'], created: ['added'], unchanged });
  expect(second.keys.find(({ name }) => name === 'added')).toMatchObject({ status: 'revoked' });
  expect(findingsOf(second)).toEqual(['key_blocked ended', 'key_limits_lost added']);
  expect(second.sums.spend).toMatchObject({ source: '5.00', booked: '5.00' });

  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(await rounds.next()).toMatchObject({ done: true });
  const inStore = ['--data', join(folder, 'data'), '--json'];
  expect(await command('ledger', 'verify', ...inStore)).toMatchObject({ status: 0 });
});

interface Round {
  readonly accounts: readonly Item[];
  readonly keys: readonly Item[];
  readonly findings: readonly { readonly code: string; readonly params: { readonly name?: string } }[];
  readonly sums: { readonly spend: object };
}

interface Item {
  readonly name: string;
  readonly outcome: string;
}

/** The names of accounts and keys by outcome. */
function outcomesOf({ accounts, keys }: Round): Record<string, readonly string[]> {
  const byOutcome = Map.groupBy([...accounts, ...keys], ({ outcome }) => outcome);
  return Object.fromEntries([...byOutcome].map(([outcome, items]) => [outcome, items.map(({ name }) => name).sort()]));
}

/** Codes and names of keys. */
function findingsOf({ findings }: Round): readonly string[] {
  return findings.flatMap(({ code, params }) => (params.name === undefined ? [] : [`${code} ${params.name}`])).sort();
}

/** One transaction: a round reads the source before or after all of it. */
function change(file: string, statements: readonly string[]): void {
  const database = new DatabaseSync(file);
  database.exec(['begin immediate', ...statements, 'commit'].join(';\n'));
  database.close();
}

/** The first round is printed on several lines, later ones on one line each. */
async function* jsonDocuments({ stdout }: ChildProcess): AsyncGenerator<Round, void> {
  let text = '';
  for await (const line of createInterface({ input: stdout! })) {
    text += line;
    if (!/^\{.*\}$|^\}$/.test(line)) continue;
    yield JSON.parse(text) as Round;
    text = '';
  }
}

async function nextRound(rounds: AsyncGenerator<Round, void>): Promise<Round> {
  const { value } = await rounds.next();
  if (!value) throw new Error('the command ended');
  return value;
}
