import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { credits } from '../../money/billing/ledger/credits.ts';
import { settleCharges } from '../../money/billing/settle.ts';
import { registerProcess } from '../../money/billing/recovery/processes.ts';
import { caseOf } from 'chat-formats/gateway-error.ts';
import { systemClock } from '../../core/time/clock.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { Files } from '../files/files.ts';
import { databaseNow } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import { BatchRunner } from './batch-runner.ts';
import { Batches, windowMs } from './batches.ts';
import type { LineAttempt, LineReply } from './line-attempt.ts';

const endpoint = '/v1/responses';

interface Setting {
  readonly repeatInterrupted?: boolean;
  /** Called before the runner starts. */
  readonly prepare?: (store: Store) => Promise<void>;
  readonly access?: () => Promise<() => boolean>;
  /** The clock of the process. */
  readonly clock?: ManualClock;
}

forEachStore(({ open }) => {
  async function begin(
    lines: number,
    reply: (attempt: LineAttempt) => Promise<Partial<LineReply>>,
    {
      repeatInterrupted = true,
      prepare = async () => {},
      access = async () => () => true,
      clock = manualClock(),
    }: Setting = {},
  ) {
    const process = { id: 'p1', isAlive: true, holdsMoney: false, looks: 0 };
    let ids = 0;
    const newId = () => `20260101${String((ids += 1)).padStart(19, '0')}`;
    const store = await open();
    const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
    const { id: accountId } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
    await registerProcess(store, 'p1');
    const limit = 1024 * 1024;
    const limits = () => ({ fileBytesMax: limit, accountBytesMax: limit, accountFilesMax: 10, lineBytesMax: limit });
    const files = new Files({ store, vault, clock, newId, limits });
    const keepMs = () => 10 * windowMs;
    const quota = () => ({ accountBatchesMax: 100, accountLinesMax: 1000 });
    const batches = new Batches({ store, newId, files, keepMs, quota });
    const errors: unknown[] = [];
    const counted: Record<string, number> = {};
    const runner = new BatchRunner({
      store,
      vault,
      clock,
      newId,
      files,
      batches,
      keepMs,
      processId: () => {
        process.looks += 1;
        return process.id;
      },
      isSurelyAlive: () => process.isAlive,
      holdsMoney: () => process.holdsMoney,
      settings: () => ({ linesMax: 100, linesAtOnce: 2, repeatInterrupted }),
      access,
      storeResponse: () => Promise.resolve(),
      onError: (error) => void errors.push(error),
      count: (outcome, lines) => void (counted[outcome] = (counted[outcome] ?? 0) + lines),
      run: async (attempt) => {
        const own = await reply(attempt);
        const tokens = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
        const base = {
          batchId: attempt.batch.id,
          line: attempt.line,
          state: 'succeeded',
          status: 200,
          ...tokens,
        } as const;
        return {
          outcome: base,
          body: '{}',
          isCharged: false,
          mayRepeat: false,
          hasFailed: false,
          lacksMoney: false,
          ...own,
          moneyMayReturn: await attempt.isMoneyHeld(),
        };
      },
    });
    const writer = await files.create({
      accountId,
      keyId: 'k',
      purpose: 'batch',
      filename: 'a.jsonl',
      keepMs: null,
    });
    for (let line = 1; line <= lines; line += 1) {
      const request = { custom_id: `l${line}`, method: 'POST', url: endpoint, body: { model: 'm' } };
      await writer.add(Buffer.from(`${JSON.stringify(request)}\n`));
    }
    const { id: inputFileId } = await writer.end();
    const origin = { host: '', address: '', headers: {}, metadata: undefined, outputSeconds: undefined, lines };
    const { batch } = await batches.create({ kind: 'batch', accountId, keyId: 'k', endpoint, inputFileId, ...origin });
    const row = async () => (await batches.find(accountId, batch.id))!.batch;
    const linesIn = async (id: string | null) => {
      const file = id === null ? undefined : await files.find(accountId, id);
      let text = '';
      if (file) for await (const piece of files.content(file)) text += piece.toString('utf8');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    await prepare(store);
    runner.start();
    const events = async () => (await store.db.selectFrom('events').select('kind').execute()).map(({ kind }) => kind);
    const due = () => store.db.updateTable('batches').set({ not_before: 0 }).execute();
    const cancel = () => batches.cancel(accountId, batch.id);
    return { store, runner, row, linesIn, clock, errors, events, counted, process, due, cancel, files, batches };
  }

  test('a batch whose time is over expires: its answers are in the output, the other lines in the error file', async () => {
    const isFirst = ({ line }: LineAttempt) => line === 1;
    const run = await begin(3, (attempt) => Promise.resolve({ mayRepeat: !isFirst(attempt) }));
    await expect
      .poll(async () => (await run.row()).in_progress_at, { message: 'its lines are checked' })
      .not.toBeNull();
    await run.runner.tick();
    await run.store.db.updateTable('batches').set({ expires_at: 1 }).execute();
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('expired');
    const { output_file_id: output, error_file_id: errors } = await run.row();
    const found = [...(await run.linesIn(output)), ...(await run.linesIn(errors))];
    expect(found.map(({ custom_id: id }) => String(id)).toSorted()).toEqual(['l1', 'l2', 'l3']);
    expect((await run.linesIn(errors)).at(-1)).toMatchObject({ response: null, error: { code: 'batch_expired' } });
    expect([await run.events(), run.errors]).toEqual([['batch.expired'], []]);
    expect(run.counted).toEqual({ succeeded: 1, expired: 2 });
    await run.runner.tick();
    expect(run.runner.figures).toEqual({ unfinished: 0, queued: 0, running: 0 });
    await run.runner.stop();
  });

  test('a process whose clock is days ahead runs the lines of a batch, repeats them after their back-off and expires none', async () => {
    const clock = manualClock(systemClock.now() + 3 * windowMs);
    let calls = 0;
    const run = await begin(1, () => Promise.resolve({ mayRepeat: (calls += 1) === 1 }), { clock });
    const { db } = run.store;
    const line = db.selectFrom('batch_lines').select(['state', 'not_before', databaseNow(db).as('now')]);
    const waits = async () => (await line.where('not_before', '>', 0).executeTakeFirst())?.state;
    await expect.poll(waits, { message: 'its line was put back' }).toBe('queued');
    const { not_before: notBefore, now } = await line.executeTakeFirstOrThrow();
    expect(notBefore).toBeLessThanOrEqual(now + 5000);
    await db.updateTable('batch_lines').set({ not_before: 0 }).execute();
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    const { created_at, in_progress_at, finalizing_at, ended_at } = await run.row();
    for (const at of [in_progress_at, finalizing_at, ended_at]) expect(at! - created_at).toBeLessThan(windowMs);
    expect(run.errors).toEqual([]);
    await run.runner.stop();
  });

  test('after three days without any process, the answers of an unfinished batch are in its output', async () => {
    const run = await begin(2, ({ line }) => Promise.resolve({ mayRepeat: line === 2 }));
    const { db } = run.store;
    const lines = db
      .selectFrom('batch_lines')
      .select('state')
      .where('not_before', '>', 0)
      .where('state', '=', 'queued');
    const answered = db.selectFrom('batch_lines').select('state').where('state', '=', 'succeeded');
    await expect
      .poll(async () => [(await lines.execute()).length, (await answered.execute()).length], {
        message: 'line 1 is answered, and line 2 was put back',
      })
      .toEqual([1, 1]);
    await run.runner.stop();
    const old = 3 * windowMs;
    await db
      .updateTable('sealed_blobs')
      .set((row) => ({ created_at: row('created_at', '-', old) }))
      .execute();
    await db
      .updateTable('files')
      .set((row) => ({ created_at: row('created_at', '-', old), expires_at: 1 }))
      .execute();
    await db
      .updateTable('batches')
      .set((row) => ({ created_at: row('created_at', '-', old), expires_at: row('expires_at', '-', old) }))
      .execute();
    const body = { id: 'body-z', kind: 'batch_lines', account_id: 'a', created_at: 1, bytes: 1, sealed: 'x' } as const;
    await db.insertInto('sealed_blobs').values(body).execute();
    const input = await db.selectFrom('files').selectAll().executeTakeFirstOrThrow();
    await db
      .insertInto('files')
      .values({ ...input, id: 'file-z', chunks: 0 })
      .execute();
    const onError = (error: unknown) => void run.errors.push(error);
    const deletions = [run.files.retention(onError), run.batches.retention(onError)];
    for (const each of deletions) each.start();
    const left = async () => [
      ...(await db.selectFrom('sealed_blobs').select('id').where('id', '=', body.id).execute()),
      ...(await db.selectFrom('files').select('id').where('id', '=', 'file-z').execute()),
    ];
    await expect.poll(left, { message: 'other old rows are deleted' }).toEqual([]);
    for (const each of deletions) each.stop();
    run.runner.start();
    await expect.poll(async () => (await run.row()).state).toBe('expired');
    const { output_file_id: output, error_file_id: errors } = await run.row();
    expect(await run.linesIn(output)).toMatchObject([{ custom_id: 'l1', response: { status_code: 200 } }]);
    expect(await run.linesIn(errors)).toMatchObject([{ custom_id: 'l2', error: { code: 'batch_expired' } }]);
    expect(run.errors).toEqual([]);
    await run.runner.stop();
  });

  test('a process goes on with its batch after a begin that the store did not confirm', async () => {
    const first = Promise.withResolvers<Partial<LineReply>>();
    let calls = 0;
    const run = await begin(1, () => {
      calls += 1;
      return first.promise;
    });
    await expect.poll(() => calls, { message: 'its line runs' }).toBe(1);
    await run.store.db.updateTable('batches').set({ process_id: 'p1' }).execute();
    first.resolve({});
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    await run.runner.stop();
  });

  test('lines that lack money wait for those that hold some, and fail if none does', async () => {
    const holding = Promise.withResolvers<void>();
    const attempts: number[] = [];
    const short = Promise.withResolvers<void>();
    const run = await begin(2, async ({ line }) => {
      attempts.push(line);
      if (line === 1) await holding.promise;
      else await short.promise;
      return line === 2 && attempts.length === 2 ? { lacksMoney: true } : {};
    });
    await expect.poll(() => attempts, { message: 'both lines were tried' }).toEqual([1, 2]);
    run.process.holdsMoney = true;
    short.resolve();
    await run.runner.tick();
    expect((await run.row()).state).toBe('in_progress');
    run.process.holdsMoney = false;
    holding.resolve();
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    expect(attempts).toEqual([1, 2, 2]);
    await run.runner.stop();
  });

  test('lines whose account has money in another process only take turns to repeat every 5 s until it is returned', async () => {
    const attempts: number[] = [];
    const failed = { status: 402, state: 'failed' } as const;
    const leased = Promise.withResolvers<void>();
    const run = await begin(9, async ({ batch, line }) => {
      attempts.push(line);
      await leased.promise;
      return { lacksMoney: true, outcome: { batchId: batch.id, line, ...failed, ...noTokens } };
    });
    const { account_id } = await run.row();
    await registerProcess(run.store, 'p2');
    await run.store.db.insertInto('leases').values({ process_id: 'p2', account_id, amount: 1n }).execute();
    leased.resolve();
    const settled = async (count: number) => {
      await expect.poll(() => attempts.length, { message: 'its lines were tried' }).toBeGreaterThanOrEqual(count);
      for (let tick = 0; tick < 20; tick += 1) await run.runner.tick();
      expect(attempts.length).toBe(count);
    };
    // One for each seat.
    await settled(2);
    run.clock.advance(5000);
    await settled(3);
    await run.store.db.deleteFrom('leases').execute();
    run.clock.advance(5000);
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    expect(run.counted).toEqual({ failed: 9 });
    await run.runner.stop();
  });

  test('a line calls no provider while its process may have been reaped, and none that another process has', async () => {
    const called: number[] = [];
    const hold = Promise.withResolvers<void>();
    const run = await begin(4, async ({ line, willCall, signal }) => {
      if (line === 2) await hold.promise;
      willCall();
      if (signal.aborted) return { mayRepeat: true };
      called.push(line);
      return {};
    });
    await expect.poll(() => called, { message: 'all lines but one were called' }).toEqual([1, 3, 4]);
    run.process.isAlive = false;
    hold.resolve();
    await expect.poll(() => run.runner.running, { message: 'line 2 was put back' }).toBe(0);
    expect(called).toEqual([1, 3, 4]);
    run.process.isAlive = true;
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    expect(called).toEqual([1, 3, 4, 2]);
    await run.runner.stop();
  });

  test('a process that was reaped aborts the lines that another has, and does not run them', async () => {
    const started: number[] = [];
    const holds = [1, 2, 3].map(() => Promise.withResolvers<void>());
    let reason: unknown;
    const run = await begin(6, async ({ line, signal }) => {
      started.push(line);
      await holds[line - 1]?.promise;
      if (line === 2) reason = signal.reason;
      return { mayRepeat: signal.aborted };
    });
    await expect.poll(() => started, { message: 'two lines run' }).toEqual([1, 2]);
    holds[0]!.resolve();
    // The free seat claims lines 3 and 4, and runs line 3.
    await expect.poll(() => started, { message: 'the next line runs' }).toEqual([1, 2, 3]);
    await run.store.db.deleteFrom('processes').execute();
    for (const id of ['p2', 'p3']) await registerProcess(run.store, id);
    const taken = { process_id: 'p3', request_id: 'another', state: 'running' } as const;
    await run.store.db.updateTable('batch_lines').set(taken).where('line', 'in', [2, 4]).execute();
    run.process.id = 'p2';
    await run.runner.tick();
    for (const { resolve } of holds) resolve();
    await expect
      .poll(() => [1, 2, 3, 4, 5, 6].filter((line) => started.includes(line)), { message: 'the other lines ran' })
      .toEqual([1, 2, 3, 5, 6]);
    await run.store.db.updateTable('batch_lines').set({ state: 'cancelled' }).where('line', 'in', [2, 4]).execute();
    // An attempt that is aborted like this costs nothing.
    expect(caseOf(reason)).toBe('shutting-down');
    await run.runner.stop();
    const left = await run.store.db.selectFrom('batch_lines').select('state').orderBy('line').execute();
    expect(left.map(({ state }) => state)).toEqual([
      'succeeded',
      'cancelled',
      'succeeded',
      'cancelled',
      'succeeded',
      'succeeded',
    ]);
  });

  test('the cost of a batch has what is left of the charges of its interrupted and failed lines', async () => {
    const [lost, failed] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const isCharged = Promise.withResolvers<void>();
    const run = await begin(
      2,
      async ({ line, requestId, batch }) => {
        (line === 2 ? lost : failed).resolve(requestId);
        if (line === 2) return new Promise<never>(() => {});
        await isCharged.promise;
        return { outcome: { batchId: batch.id, line, state: 'failed', status: 502, ...noTokens } };
      },
      { repeatInterrupted: false },
    );
    const { account_id: accountId, key_id: keyId } = await run.row();
    const requestId = await lost.promise;
    const name = { requestId, accountId, keyId, processId: 'p1', at: run.clock.now(), held: 5n, priceVersion: 'v1' };
    await credits(run.store, run.clock).topUp({ accountId, reference: 'paid', by: 't', reason: 't', amount: 9n });
    await run.store.commit(settleCharges, [{ ...name, cost: 3n, by: 'recovery', reason: 'recovered' }]);
    const discarded = { ...name, requestId: await failed.promise, cost: 2n };
    await run.store.commit(settleCharges, [{ ...discarded, by: 'gateway', reason: 'request; discarded answers: 1' }]);
    await run.store.db.updateTable('batch_lines').set({ process_id: 'p0' }).where('line', '=', 2).execute();
    const interrupted = run.store.db.selectFrom('batch_lines').select('line').where('state', '=', 'interrupted');
    // A tick that runs already may be past the lines of ended processes.
    await expect
      .poll(async () => {
        await run.runner.tick();
        return interrupted.execute();
      })
      .toEqual([{ line: 2 }]);
    await run.store.commit(settleCharges, [{ ...name, cost: 0n, by: 'gateway', reason: 'request' }]);
    // Only now the other line ends, so that the batch cannot end before that charge.
    isCharged.resolve();
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    expect(await run.row()).toMatchObject({ failed: 2, cost: 2 });
  });

  test('a line whose provider fails is tried three times, and the third failure is its outcome', async () => {
    const attempts: string[] = [];
    const failed = { status: 502, state: 'failed' } as const;
    const run = await begin(1, (attempt) => {
      attempts.push(attempt.requestId);
      const outcome = { batchId: attempt.batch.id, line: 1, ...failed, ...noTokens };
      return Promise.resolve({ outcome, hasFailed: true, body: '{"error":{}}' });
    });
    await expect
      .poll(async () => {
        await run.store.db.updateTable('batch_lines').set({ not_before: 0 }).where('state', '=', 'queued').execute();
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    expect(new Set(attempts).size).toBe(3);
    const { output_file_id: output, error_file_id: errors } = await run.row();
    expect(output).toBeNull();
    expect(run.counted).toEqual({ failed: 1 });
    expect(await run.linesIn(errors)).toMatchObject([{ response: { status_code: 502, request_id: attempts[2] } }]);
    await run.runner.stop();
  });

  test('a check that fails is repeated after a back-off that doubles, and in the end fails the batch', async () => {
    const broken = async ({ db }: Store) => {
      await db.updateTable('sealed_blobs').set({ sealed: 'x' }).execute();
      // Their back-off is longer than this test.
      await db.updateTable('batches').set({ attempts: 7 }).execute();
    };
    const run = await begin(1, () => Promise.resolve({}), { prepare: broken });
    let before = 0;
    for (let attempt = 8; attempt <= 10; attempt += 1) {
      await expect.poll(async () => (await run.row()).process_id === null && run.errors.length).toBe(attempt - 7);
      for (let tick = 0; tick < 20; tick += 1) await run.runner.tick();
      expect([run.errors.length, (await run.row()).attempts]).toEqual([attempt - 7, attempt]);
      const { now } = await run.store.db.selectNoFrom(databaseNow(run.store.db).as('now')).executeTakeFirstOrThrow();
      const wait = Math.min(1000 * 2 ** (attempt - 1), 300_000);
      const { not_before: notBefore } = await run.row();
      expect(notBefore).toBeGreaterThanOrEqual(before + wait);
      expect(notBefore).toBeLessThanOrEqual(now + wait);
      before = now;
      await run.due();
      await run.runner.tick();
    }
    await expect.poll(async () => (await run.row()).state).toBe('failed');
    expect(JSON.parse((await run.row()).problems ?? '')).toMatchObject([{ code: 'check_failed' }]);
    expect([run.errors.length, await run.events()]).toEqual([3, ['batch.failed']]);
    await run.runner.stop();
  });

  test('an end that fails leaves no file behind, and is repeated until the answers are written', async () => {
    const first = Promise.withResolvers<void>();
    const run = await begin(18, async ({ line }) => {
      if (line === 1) await first.promise;
      return {};
    });
    const { db } = run.store;
    const last = db.selectFrom('batch_lines').select(['state', 'request_id']).where('line', '=', 18);
    await expect.poll(async () => (await last.executeTakeFirst())?.state).toBe('succeeded');
    const { request_id: requestId } = await last.executeTakeFirstOrThrow();
    const body = db.selectFrom('sealed_blobs').select('sealed').where('id', '=', requestId);
    const { sealed } = await body.executeTakeFirstOrThrow();
    const change = db.updateTable('sealed_blobs').where('id', '=', requestId);
    await change.set({ sealed: 'x' }).execute();
    await db.updateTable('batches').set({ attempts: 8 }).execute();
    first.resolve();
    const outputs = () => db.selectFrom('files').select('state').where('purpose', '=', 'batch_output').execute();
    await expect.poll(async () => (await run.row()).not_before, { message: 'its end failed' }).toBeGreaterThan(0);
    for (let tick = 0; tick < 20; tick += 1) await run.runner.tick();
    expect([run.errors.length, await outputs()]).toEqual([1, []]);
    await db.updateTable('batches').set({ attempts: 1000, expires_at: 1 }).execute();
    await run.due();
    await run.runner.tick();
    await expect.poll(async () => (await run.row()).process_id === null && run.errors.length).toBe(2);
    await change.set({ sealed }).execute();
    await run.due();
    await expect
      .poll(async () => {
        await run.runner.tick();
        return (await run.row()).state;
      })
      .toBe('completed');
    expect([await outputs(), (await run.linesIn((await run.row()).output_file_id)).length]).toEqual([
      [{ state: 'ready' }],
      18,
    ]);
    await run.runner.stop();
  });

  test.each(['cancelled', 'expired'] as const)('a batch is %s at once while a process checks it', async (state) => {
    const held = Promise.withResolvers<() => boolean>();
    const run = await begin(1, () => Promise.resolve({}), { access: () => held.promise });
    await expect.poll(async () => (await run.row()).process_id, { message: 'it is checked' }).toBe('p1');
    if (state === 'cancelled') await run.cancel();
    else await run.store.db.updateTable('batches').set({ expires_at: 1 }).execute();
    // A look that runs already may be past this batch.
    await expect
      .poll(async () => {
        await run.runner.tick();
        return run.row();
      })
      .toMatchObject({ state, lines: 1, [state]: 1, process_id: null });
    held.resolve(() => true);
    await run.runner.stop();
    expect(await run.store.db.selectFrom('batch_lines').select('line').execute()).toEqual([]);
    expect([(await run.row()).state, await run.events(), run.errors]).toEqual([state, [`batch.${state}`], []]);
  });

  test('a process waits for its next look while another one checks the batch', async () => {
    const run = await begin(1, () => Promise.resolve({}), {
      prepare: async (store) => {
        await registerProcess(store, 'p9');
        await store.db.updateTable('batches').set({ process_id: 'p9' }).execute();
      },
    });
    await run.runner.tick();
    await run.runner.tick();
    const { looks } = run.process;
    for (let query = 0; query < 50; query += 1) await run.row();
    expect(run.process.looks).toBe(looks);
    await run.runner.stop();
  });
});

const noTokens = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
