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

/** The last commit whose gateways did not lease slots. It has none of the later tables and messages. */
const before = '55b07cca52922ea31321ee3ca58cec618bddce9a';
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-before-'));
let stage: ClusterStage | undefined;
let entry: Balancer | undefined;
afterAll(async () => {
  await stage?.tearDown();
  entry?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A shallow clone or a package does not contain the older version. */
const hasHistory = hasCommit();

test.skipIf(!hasHistory)(
  `a rolling upgrade from the previous version under load loses and rejects no request${hasHistory ? '' : ' (skipped: the history of the repository is missing; fetch it completely)'}`,
  async () => {
    const program = unpack();
    const database = await newDatabase('nothing');
    const accounts = { one: 1, other: 2 };
    // Gateways without leases do not share the limit, so it is high enough that no request waits.
    const options = { database, limit: 200, serviceMs: 400, accounts };
    stage = await setUpCluster({ ...options, gateways: 3, program });
    entry = await balancer();
    for (const gateway of stage.gateways) entry.add(gateway);
    const loads = [stage.load('one', entry, 12), stage.load('other', entry, 12)];
    await moreCalls(30);
    for (const old of stage.gateways.slice(0, 3)) {
      entry.add(await stage.start());
      await moreCalls(30);
      // Connections that the old gateway has not read from yet would be lost with it.
      await entry.remove(old);
      await stage.end(old);
    }
    await moreCalls(30);
    await Promise.all(loads.map((load) => load.stop()));
    expect(stage.failures).toEqual([]);
    expect(stage.provider.finished).toBe(stage.provider.callLog.length);
    await expectSound(stage.store);
    const { charges } = await stage.store.db
      .selectFrom('transfers')
      .select((row) => row.fn.countAll<number>().as('charges'))
      .where('kind', '=', 'charge')
      .executeTakeFirstOrThrow();
    expect(charges).toBe(stage.provider.finished);
  },
);

async function moreCalls(count: number): Promise<void> {
  const wanted = stage!.provider.callLog.length + count;
  await eventually(() => expect(stage!.provider.callLog.length).toBeGreaterThanOrEqual(wanted));
}

function hasCommit(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${before}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Unpacks the program of that commit. It uses the packages of this one, which include all that it needs. */
function unpack(): string {
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', before, 'bin', 'src', 'package.json'], {
    cwd: root,
    maxBuffer: 1 << 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin/chat-gateway.cjs');
}
