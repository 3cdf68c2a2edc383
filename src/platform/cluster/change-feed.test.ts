import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../store/store.ts';
import { type StoreChange, type ChangeFeed, changeFeed } from './change-feed.ts';

/** Hundreds of concurrent writers wait for each other, on a busy machine for longer than a client would. */
const longTimeouts = { connectMs: 600_000, statementMs: 600_000 };

forEachStore(({ engine, open }) => {
  let store: Store;
  let otherStore: Store;
  let feed: ChangeFeed;
  let received: StoreChange[];
  let failures: number;
  let time: { now: number; elapsed: number };
  const clock = { ...systemClock, now: () => time.now, elapsed: () => time.elapsed };

  beforeEach(async () => {
    failures = 0;
    store = await open({ ...longTimeouts, log: (event) => void (failures += event.level === 'error' ? 1 : 0) });
    otherStore = await open(longTimeouts);
    time = { now: 1_000_000_000, elapsed: 1 };
    received = [];
    feed = changeFeed(store, { clock, pollMs: 2 });
    feed.subscribe((changes) => received.push(...changes));
  });
  afterEach(() => feed.stop());

  test('a listener receives each change of another process once and in order, even 2,500 in one transaction', async () => {
    await started();
    const other = changeFeed(otherStore, { clock });
    const subjects = Array.from({ length: 2500 }, (_, index) => `key_${index}`);
    await otherStore.transaction(async (tx) => {
      for (const subject of subjects) await other.publish(tx, 'key', subject);
    });
    await nextPoll();
    await nextPoll();
    expect(received).toEqual(subjects.map((subject) => ({ topic: 'key', subject })));
  });

  test('a listener that throws does not keep a change from other listeners, and its error is reported', async () => {
    const errors: unknown[] = [];
    const bug = new Error('a bug in a listener');
    const other = changeFeed(store, { clock, pollMs: 2, onError: (error) => errors.push(error) });
    const later: string[] = [];
    other.subscribe(() => {
      throw bug;
    });
    other.subscribe((changes) => later.push(...changes.map(({ subject }) => subject)));
    other.start();
    await eventually(() => expect(other.freshAt, 'the first poll of the feed').toBeGreaterThan(0));
    await other.publish(store.db, 'key', 'one');
    await eventually(() => expect(later, 'the subjects that the second listener received').toContain('one'));
    other.stop();
    expect(errors[0]).toBe(bug);
  });

  test('a feed does not report changes from before its start', async () => {
    await feed.publish(store.db, 'key', 'old');
    await started();
    await feed.publish(store.db, 'catalog', 'new');
    await nextPoll();
    expect(received).toEqual([{ topic: 'catalog', subject: 'new' }]);
  });

  test('a feed does not report a change that was rolled back', async () => {
    await started();
    const failed = store.transaction(async (tx) => {
      await feed.publish(tx, 'key', 'never');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await nextPoll();
    expect(received).toEqual([]);
  });

  test('a feed that was away for longer than changes are kept reports that everything changed', async () => {
    await started();
    time.now += 3_600_001;
    await eventually(() => expect(received, 'one change for each topic').toHaveLength(3));
    expect(received.map(({ topic, subject }) => `${topic} ${subject}`)).toEqual(['key *', 'account *', 'catalog *']);
  });

  test('a feed deletes changes after an hour', async () => {
    await feed.publish(store.db, 'key', 'old');
    const hourAgo = systemClock.now() - 3_600_001;
    await store.db.updateTable('changes').set({ at: hourAgo }).execute();
    await feed.publish(store.db, 'key', 'young');
    await started();
    await eventually(async () => {
      const rows = await otherStore.db.selectFrom('changes').select('subject').execute();
      expect(rows, 'the changes that are left in the store').toEqual([{ subject: 'young' }]);
    });
  });

  test.each([7_200_000, -7_200_000])(
    'a machine whose clock is off by %i ms deletes no changes that others still need',
    async (offMs) => {
      const wrong = { ...systemClock, now: () => systemClock.now() + offMs };
      const other = changeFeed(otherStore, { clock: wrong, pollMs: 2 });
      await feed.publish(store.db, 'key', 'right');
      await other.publish(otherStore.db, 'key', 'wrong');
      // Each feed deletes old changes in its first poll, which has ended once the second poll has.
      other.start();
      await eventually(() => expect(other.freshAt, 'the first poll of the other feed').toBeGreaterThan(0));
      const first = other.freshAt;
      await eventually(() => expect(other.freshAt, 'its second poll').toBeGreaterThan(first));
      await started();
      await nextPoll();
      const rows = await otherStore.db.selectFrom('changes').select('subject').orderBy('id').execute();
      expect(rows).toEqual([{ subject: 'right' }, { subject: 'wrong' }]);
      other.stop();
    },
  );

  test('a feed that cannot read the store logs errors, and its freshAt stays', async () => {
    await started();
    await otherStore.db.schema.dropTable('changes').execute();
    time.elapsed += 5000;
    await eventually(() => expect(failures, 'failed polls in the log').toBeGreaterThan(2));
    expect(feed.freshAt).toBe(1);
  });

  test('a listener that throws receives the same changes again', async () => {
    await started();
    let calls = 0;
    feed.subscribe(() => {
      calls += 1;
      if (calls === 1) throw new Error('not now');
    });
    await feed.publish(store.db, 'key', 'k');
    await eventually(() => expect(calls, 'calls of the listener').toBe(2));
  });

  test.runIf(engine === 'postgres')('a feed reports a change that commits after a later one, each once', async () => {
    await started();
    const mayCommit = Promise.withResolvers<void>();
    const hasWritten = Promise.withResolvers<void>();
    const slow = store.transaction(async (tx) => {
      await feed.publish(tx, 'key', 'slow');
      hasWritten.resolve();
      await mayCommit.promise;
    });
    await hasWritten.promise;
    await feed.publish(otherStore.db, 'key', 'quick');
    await nextPoll();
    await nextPoll();
    expect(subjects()).toEqual(['quick']);
    mayCommit.resolve();
    await slow;
    await nextPoll();
    await nextPoll();
    expect(subjects()).toEqual(['quick', 'slow']);
    const ids = await otherStore.db.selectFrom('changes').select('subject').orderBy('id').execute();
    expect(ids.map(({ subject }) => subject)).toEqual(['slow', 'quick']);
  });

  test.runIf(engine === 'postgres')(
    'a feed reports a change whose transaction began before the start and commits after it',
    async () => {
      const mayCommit = Promise.withResolvers<void>();
      const hasWritten = Promise.withResolvers<void>();
      const slow = otherStore.transaction(async (tx) => {
        await feed.publish(tx, 'key', 'slow');
        hasWritten.resolve();
        await mayCommit.promise;
      });
      await hasWritten.promise;
      await feed.publish(otherStore.db, 'key', 'before the start');
      await started();
      mayCommit.resolve();
      await slow;
      await nextPoll();
      expect(subjects()).toEqual(['slow']);
    },
  );

  test.runIf(engine === 'postgres')(
    'a feed reports each committed change once while many writers commit and roll back',
    async () => {
      await started();
      const written = Array.from({ length: 200 }, async (_, index) => {
        const [handle, isKept] = [index % 2 === 0 ? store : otherStore, index % 7 !== 0];
        const done = handle.transaction(async (tx) => {
          await feed.publish(tx, 'key', `${index}`);
          await feed.publish(tx, 'account', `${index}`);
          if (!isKept) throw new Error('gave up');
        });
        if (isKept) await done;
        else await expect(done).rejects.toThrow('gave up');
        return isKept ? [`${index}`, `${index}`] : [];
      });
      const kept = (await Promise.all(written)).flat();
      await nextPoll();
      expect(subjects().toSorted()).toEqual(kept.toSorted());
    },
  );

  const subjects = () => received.map(({ subject }) => subject);

  async function started(): Promise<void> {
    feed.start();
    await eventually(() => expect(feed.freshAt, 'the first poll').toBe(time.elapsed));
  }

  /** Resolves when a poll that began after this call has ended. */
  async function nextPoll(): Promise<void> {
    time.elapsed += 1;
    await eventually(() => expect(feed.freshAt, 'a poll that began just now').toBe(time.elapsed));
  }
});
