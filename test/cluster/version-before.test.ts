import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { eventually } from '../eventually.ts';
import { type Balancer, balancer } from '../services/balancer.ts';
import { newDatabase } from '../stores.ts';
import { type ClusterStage, setUpCluster } from './stage.ts';

/** The last commit whose gateways did not lease places: it knows nothing of the tables and messages that came since. */
const before = '55b07cca52922ea31321ee3ca58cec618bddce9a';
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-before-'));
let stage: ClusterStage | undefined;
let door: Balancer | undefined;
afterAll(async () => {
  await stage?.tearDown();
  door?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A clone without its history, or a package, cannot have the version before. */
const hasHistory = hasCommit();

test.skipIf(!hasHistory)(
  `gateways of the version before are replaced one after another under load: no request is lost, none refused${hasHistory ? '' : ' (skipped: the history of the repository is not here; fetch it whole)'}`,
  async () => {
    const program = unpacked();
    const database = await newDatabase('nothing');
    const accounts = { one: 1, other: 2 };
    // Gateways that do not lease know nothing of each other's calls: nobody waits, whoever has places.
    const options = { database, limit: 200, serviceMs: 400, accounts };
    stage = await setUpCluster({ ...options, gateways: 3, program });
    door = await balancer();
    for (const gateway of stage.gateways) door.add(gateway);
    const loads = [stage.load('one', door, 12), stage.load('other', door, 12)];
    await moreTurns(30);
    for (const old of stage.gateways.slice(0, 3)) {
      door.add(await stage.start());
      await moreTurns(30);
      // A connection that it has not read from yet would be lost with it.
      await door.remove(old);
      await stage.end(old);
    }
    await moreTurns(30);
    await Promise.all(loads.map((load) => load.stop()));
    expect(stage.failures).toEqual([]);
    expect(stage.provider.finished).toBe(stage.provider.turns.length);
    await expectSound(stage.store);
    const { charges } = await stage.store.db
      .selectFrom('transfers')
      .select((row) => row.fn.countAll<number>().as('charges'))
      .where('kind', '=', 'charge')
      .executeTakeFirstOrThrow();
    expect(charges).toBe(stage.provider.finished);
  },
);

async function moreTurns(count: number): Promise<void> {
  const wanted = stage!.provider.turns.length + count;
  await eventually(() => expect(stage!.provider.turns.length).toBeGreaterThanOrEqual(wanted));
}

function hasCommit(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${before}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The program of that commit, with the packages of this one: those it needs are among them. */
function unpacked(): string {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', before, 'bin', 'src', 'package.json'], {
    cwd: root,
    maxBuffer: 1 << 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/chat-gateway.cjs');
}
