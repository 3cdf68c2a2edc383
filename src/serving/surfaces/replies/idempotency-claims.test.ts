import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { FakeClient } from '../../../../test/fakes/fake-client.ts';
import { type ManualClock, manualClock } from '../../../../test/clocks/manual-clock.ts';
import { forEachStore, testStores, type TestStores } from '../../../../test/stores/stores.ts';
import { secretVault } from '../../../platform/secrets/secret-vault.ts';
import type { Peers, Presence } from '../../../platform/cluster/peers.ts';
import { ReplyClaims } from '../../../platform/cluster/reply-claims.ts';
import type { Caller } from '../../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../../platform/store/store.ts';
import { IdempotencyClaims } from './idempotency-claims.ts';
import { joinReply } from './joined-reply.ts';
import { Replays } from './replays.ts';
import type { ReplyEnd } from './reply-reader.ts';
import { ServedRequest } from '../served-request.ts';
import { SharedReply } from './shared-reply.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
const caller = { key: { keyId: 'key_1', accountId: 'account_1' }, site: 'main' } as Caller;

forEachStore((stores) => {
  test('a retry at another process reads the first reply, while it streams and after its end', async () => {
    const { world, other, first } = await generating(stores);
    first.reply.write('one ');
    const second = other.ask();
    await world.until(() => second.client.seen === 'one ');
    first.reply.write('two ');
    await world.until(() => second.client.seen === 'one two ');
    first.finish('three');
    await world.until(() => second.client.isEnded);
    const third = world.process('late').ask();
    await world.until(() => third.client.isEnded);
    expect([second.client.seen, third.client.seen]).toEqual(['one two three', 'one two three']);
    expect([second.isGenerating, third.isGenerating]).toEqual([false, false]);
    expect((await second.record()).replayOf).toBe(first.id);
  });

  test('another body with the same key is rejected; readers receive the error of a failed reply, and a retry generates a new one', async () => {
    const { world, other, first } = await generating(stores);
    const otherBody = other.ask('another digest');
    await world.until(() => otherBody.isOver);
    expect(otherBody.failure).toMatchObject({ case: 'invalid-request' });
    const second = other.ask();
    await world.until(() => world.isReadElsewhere(first.id));
    await world.advance(500);
    first.fail(new GatewayError('overloaded', { detail: 'too much' }));
    await world.until(() => second.isOver);
    expect(second.failure).toMatchObject({ case: 'overloaded', detail: 'too much' });
    const again = other.ask();
    await world.until(() => again.isGenerating);
  });
});

const stores = testStores('sqlite');

test('a remote reader counts as a reader: the provider continues after the first client left', async () => {
  const world = await World.open(stores);
  const first = world.process('one').ask();
  await world.until(() => first.isGenerating);
  const second = world.process('other').ask();
  await world.until(() => world.isReadElsewhere(first.id));
  await world.advance(500);
  first.client.leave();
  await world.advance(60_000);
  expect(first.reply.gone.aborted).toBe(false);
  second.client.leave();
  await world.advance(40_000);
  expect(first.reply.gone.aborted).toBe(true);
});

test('a reply that no other process read for a while is relayed to the next remote reader', async () => {
  const world = await World.open(stores);
  const first = world.process('one').ask();
  await world.until(() => first.isGenerating);
  const second = world.process('other').ask();
  first.reply.write('one ');
  await world.until(() => second.client.seen === 'one ');
  second.client.leave();
  await world.advance(40_000);
  const third = world.process('late').ask();
  await world.until(() => third.client.seen === 'one ');
  await world.advance(1000);
  first.reply.write('two ');
  await world.advance(2000);
  expect(third.client.seen).toBe('one two ');
});

test('a retry at another process gets the headers of a complete body, during the reply and after it', async () => {
  const { world, other, first } = await generating(stores);
  const headers = ['x-gateway-cost', '0.10'];
  const second = other.ask();
  await world.until(() => world.isReadElsewhere(first.id));
  first.reply.setForm({ kind: 'body', status: 200, contentType: 'application/json', headers });
  first.finish('{}');
  await world.until(() => second.client.isEnded);
  const third = world.process('late').ask();
  await world.until(() => third.client.isEnded);
  for (const { client } of [first, second, third]) expect([client.seen, client.headers]).toEqual(['{}', headers]);
});

test('a retry at another process gets no bytes of a sound, even if it arrives before them', async () => {
  const { world, other, first } = await generating(stores);
  const second = other.ask();
  await world.until(() => world.isReadElsewhere(first.id));
  await world.advance(500);
  first.reply.setForm({ kind: 'stream', contentType: 'audio/mpeg' });
  first.reply.write('\x00\x80');
  await world.until(() => second.isOver);
  expect([second.client.seen, second.failure]).toEqual(['', expect.objectContaining({ case: 'answer-under-way' })]);
  first.finish('\xff');
  await world.until(() => first.isOver);
  const third = other.ask();
  await world.until(() => third.isGenerating);
  expect(first.client.seen).toBe('\x00\x80\xff');
});

test('when a process is gone, a remote reader generates the reply again, but not while the process may be alive', async () => {
  const { world, one: killed, other } = await generating(stores);
  const second = other.ask();
  killed.presence = 'vanished';
  await world.advance(30_000);
  expect([second.isGenerating, second.isOver]).toEqual([false, false]);
  killed.presence = 'gone';
  await world.until(() => second.isGenerating);
});

test('a retry waits for a frozen process, then receives an error that asks to retry later', async () => {
  const { world, one: frozen, other } = await generating(stores);
  frozen.presence = 'frozen';
  const second = other.ask();
  await world.advance(3000);
  expect(second.isOver).toBe(false);
  await world.advance(5000);
  expect(second.failure).toMatchObject({ case: 'answer-under-way' });
  expect(second.isGenerating).toBe(false);
});

test('a remote reply that breaks off ends with an error frame, never with another answer', async () => {
  const { world, one: killed, other, first } = await generating(stores);
  const second = other.ask();
  first.reply.write('half of ');
  await world.until(() => second.client.seen === 'half of ');
  killed.presence = 'gone';
  await world.until(() => second.isOver);
  expect(second.client.seen).toBe('half of error frame: upstream-failed');
  // The rest of it in the store is useless: a retry gets a new answer.
  const again = other.ask();
  await world.until(() => again.isGenerating);
  expect(again.client.seen).toBe('');
});

test('a retry receives no text of a reply before its process shows activity', async () => {
  const world = await World.open(stores);
  const [killed, other, late] = ['killed', 'other', 'late'].map((name) => world.process(name));
  const first = killed!.ask();
  await world.until(() => first.isGenerating);
  const second = other!.ask();
  first.reply.write('half of ');
  await world.until(() => second.client.seen === 'half of ');
  killed!.presence = 'vanished';
  const third = late!.ask();
  await world.advance(30_000);
  expect([third.client.seen, third.isGenerating, third.isOver]).toEqual(['', false, false]);
  killed!.presence = 'gone';
  await world.until(() => third.isGenerating);
});

test('retries after a kill receive no text of the killed process, and exactly one new answer is generated', async () => {
  const world = await World.open(stores);
  const [killed, other, late] = ['killed', 'other', 'late'].map((name) => world.process(name));
  const first = killed!.ask();
  await world.until(() => first.isGenerating);
  const second = other!.ask();
  first.reply.write('half of ');
  await world.until(() => second.client.seen === 'half of ');
  killed!.kill();
  const [third, fourth] = [late!.ask(), other!.ask()];
  await world.advance(3000);
  expect([third.client.seen, fourth.client.seen]).toEqual(['', '']);
  killed!.presence = 'gone';
  await world.until(() => second.isOver && (third.isGenerating || fourth.isGenerating));
  expect(second.client.seen).toBe('half of error frame: upstream-failed');
  const [generator, ...others] = world.generated.filter(({ mayRun }) => mayRun);
  expect(others).toEqual([]);
  generator!.finish('another');
  await world.until(() => third.client.isEnded && fourth.client.isEnded);
  expect([third.client.seen, fourth.client.seen]).toEqual(['another', 'another']);
});

test('a retry that joins a remote reader of its process receives the earlier text as soon as the reply continues', async () => {
  const { world, other, first } = await generating(stores);
  const second = other.ask();
  first.reply.write('one ');
  await world.until(() => second.client.seen === 'one ');
  // No more text arrives, but its process reports, which is enough.
  const third = other.ask();
  await world.until(() => third.client.seen === 'one ');
  first.finish('two');
  await world.until(() => second.client.isEnded && third.client.isEnded);
  expect(third.client.seen).toBe('one two');
});

test('a client that received the end of a reply finds it in any other process, even if its process was killed at that moment', async () => {
  const { world, one: killed, other, first } = await generating(stores);
  first.reply.write('one ');
  first.client.onEnded = () => killed.kill();
  first.finish('two');
  await world.until(() => killed.isKilled);
  const second = other.ask();
  killed.presence = 'gone';
  await world.until(() => second.isOver || second.isGenerating);
  expect([first.client.seen, second.client.seen, second.isGenerating]).toEqual(['one two', 'one two', false]);
  expect((await second.record()).replayOf).toBe(first.id);
});

test('the end of a reply waits 2 s for an unreachable store, and is recorded when the store is back', async () => {
  const { world, one, other, first } = await generating(stores);
  const { promise: written, resolve: letWrite } = Promise.withResolvers<void>();
  one.writesAfter = written;
  first.finish('sent once');
  await world.advance(1500);
  expect(first.client.isEnded).toBe(false);
  await world.advance(1000);
  expect(first.client.isEnded).toBe(true);
  expect((await first.record()).notes).toEqual([expect.stringContaining('could not be recorded')]);
  const second = other.ask();
  await world.advance(1000);
  expect([second.isGenerating, second.isOver]).toEqual([false, false]);
  letWrite();
  await world.until(() => second.client.isEnded);
  expect(second.client.seen).toBe('sent once');
});

test('a retry whose process cannot read the claim waits, and reads the reply when the store is back', async () => {
  const { world, other, first } = await generating(stores);
  other.isAway = true;
  const second = other.ask();
  await world.advance(25_000);
  expect([second.isGenerating, second.isOver]).toEqual([false, false]);
  other.isAway = false;
  await world.until(() => world.isReadElsewhere(first.id));
  first.finish('sent once');
  await world.until(() => second.client.isEnded);
  expect(second.client.seen).toBe('sent once');
});

test.each([
  ['the store', { isAway: true }],
  ['an entry in the lease table', { isKnown: false }],
])('without %s a request is refused after 30 s, and no process generates its reply', async (_, missing) => {
  const world = await World.open(stores);
  const one = Object.assign(world.process('one'), missing);
  const first = one.ask();
  await world.advance(29_000);
  expect([first.isGenerating, first.isOver]).toEqual([false, false]);
  await world.advance(2000);
  expect(first.failure).toMatchObject({ case: 'overloaded' });
  Object.assign(one, { isAway: false, isKnown: true });
  const again = world.process('other').ask();
  await world.until(() => again.isGenerating);
});

test.each(['has left', 'was refused'])('a claim written after its client %s is released', async (why) => {
  const world = await World.open(stores);
  const [one, other] = [world.process('one'), world.process('other')];
  const { promise: written, resolve: letWrite } = Promise.withResolvers<void>();
  one.claimsAfter = written;
  const first = one.ask();
  await world.advance(why === 'has left' ? 1000 : 31_000);
  if (why === 'has left') first.client.leave();
  await world.until(() => first.isOver);
  await world.advance(1000);
  expect(first.isGenerating).toBe(false);
  letWrite();
  await world.advance(2000);
  const second = other.ask();
  await world.advance(2000);
  expect(second.isGenerating).toBe(true);
});

const steps = fc.array(
  fc.record({
    type: fc.constantFrom(
      'ask',
      'ask',
      'ask',
      'say',
      'finish',
      'fail',
      'freeze',
      'thaw',
      'die',
      'kill',
      'bury',
      'leave',
      'wait',
    ),
    which: fc.nat({ max: 3 }),
  }),
  { minLength: 5, maxLength: 30 },
);

test('in any order of requests, kills, freezes and disconnects, at most one reply is generated at a time and no client hangs', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const world = await World.open(stores);
      await world.clear();
      const processes = ['a', 'b', 'c', 'd'].map((name) => world.process(name));
      for (const { type, which } of script) {
        await world.play(processes[which]!, type);
        await world.advance(400);
        expect(world.generated.filter((ask) => ask.mayRun).length).toBeLessThanOrEqual(1);
      }
      const isSeen = world.requests.some(({ client, end }) => client.isEnded && end?.error === undefined);
      const generatedBefore = world.generated.length;
      for (const process of processes) if (process.presence === 'frozen') process.presence = 'alive';
      for (const process of processes) if (process.isKilled) process.presence = 'gone';
      await world.advance(2000);
      for (const ask of world.generated) if (ask.mayRun) ask.finish('the end');
      // A retry that waited for a process that is gone may have started its own reply meanwhile.
      for (let turn = 0; turn < 8; turn += 1) {
        await world.advance(2000);
        for (const ask of world.generated) if (ask.mayRun) ask.finish('the end');
      }
      await world.advance(60_000);
      // Once a client has received the end, no other answer is generated.
      if (isSeen) expect(world.generated).toHaveLength(generatedBefore);
      for (const ask of world.requests.filter(({ process }) => process.isRunning)) {
        expect(ask.isOver).toBe(true);
        const whole = world.generated.map(({ sent }) => sent);
        if (ask.end?.error === undefined && ask.client.isThere) expect(whole).toContain(ask.client.seen);
        for (const { text } of ask.killedBefore) expect(ask.client.seen).not.toContain(text);
      }
    }),
    { numRuns: isDeep ? 40 : 8 },
  );
});

/** Several processes, their clients, and the shared store. */
class World {
  readonly requests: TestRequest[] = [];
  readonly processes: FakeProcess[] = [];
  readonly store: Store;
  readonly #time: { nowMs: number };

  private constructor(store: Store, time: { nowMs: number }) {
    this.store = store;
    this.#time = time;
  }

  static async open(stores: TestStores): Promise<World> {
    const time = { nowMs: 1_700_000_000_000 };
    return new World(await stores.open({ now: () => time.nowMs }), time);
  }

  get generated(): readonly TestRequest[] {
    return this.requests.filter(({ isGenerating }) => isGenerating);
  }

  process(name: string): FakeProcess {
    const process = new FakeProcess(name, this);
    this.processes.push(process);
    return process;
  }

  async clear(): Promise<void> {
    await this.store.db.deleteFrom('reply_claims').execute();
    await this.store.db.deleteFrom('reply_pieces').execute();
  }

  async isReadElsewhere(id: string): Promise<boolean> {
    const row = await this.store.db.selectFrom('reply_claims').selectAll().where('claim', '=', id).executeTakeFirst();
    return typeof row?.read_until === 'number';
  }

  async advance(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += 100) {
      this.#time.nowMs += 100;
      for (const process of this.processes) process.advance(100);
      // Wait for the store, so that no deadline depends on its speed.
      for (let quiet = 0; quiet < 4; quiet += 1) {
        await nextTurn();
        if (this.processes.some(({ isCalling }) => isCalling)) quiet = 0;
      }
    }
  }

  async until(check: () => boolean | Promise<boolean>): Promise<void> {
    await expect
      .poll(
        async () => {
          await this.advance(100);
          return check();
        },
        { interval: 1, message: `until ${check.toString()}` },
      )
      .toBe(true);
  }

  async play(process: FakeProcess, type: string): Promise<void> {
    const [generating] = this.generated.filter((ask) => ask.process === process && ask.mayRun);
    const isAlive = process.isRunning;
    if (type === 'ask' && isAlive) process.ask();
    else if (type === 'say' && isAlive) generating?.say();
    else if (type === 'finish' && isAlive) generating?.finish('the end');
    else if (type === 'fail' && isAlive) generating?.fail(new GatewayError('overloaded'));
    else if (type === 'leave' && isAlive) process.requests.at(-1)?.client.leave();
    else if (type === 'freeze' && isAlive) process.presence = 'frozen';
    else if (type === 'thaw' && process.presence === 'frozen') process.presence = 'alive';
    else if (type === 'die' && isAlive) process.kill();
    else if (type === 'kill' && (isAlive || process.isKilled)) process.kill('vanished');
    else if (type === 'bury' && process.isKilled) process.presence = 'gone';
  }
}

/** A process that generates the reply to the first request, and another process. */
async function generating(stores: Parameters<typeof World.open>[0]) {
  const world = await World.open(stores);
  const [one, other] = [world.process('one'), world.process('other')];
  const first = one.ask();
  await world.until(() => first.isGenerating);
  return { world, one, other, first };
}

/** One process. Its store calls do not return while it is frozen, or after it was killed. */
class FakeProcess {
  readonly clock: ManualClock = manualClock();
  readonly requests: TestRequest[] = [];
  readonly claimed: IdempotencyClaims;
  readonly replays = new Replays(this.clock);
  readonly world: World;
  #presence: Presence = 'alive';
  /** Store calls that wait while the process is frozen. Those of a killed process never continue. */
  #frozenCalls: (() => void)[] = [];
  isAway = false;
  isKnown = true;
  /** It has ended, whether or not other processes have noticed. */
  #isKilled = false;
  #reports = 0;
  /** Claims wait for this before they reach the store. */
  claimsAfter = Promise.resolve();
  /** Writes of replies wait for this before they reach the store. */
  writesAfter = Promise.resolve();
  #calls = 0;

  constructor(name: string, world: World) {
    this.world = world;
    const claims = new ReplyClaims(world.store, (error) => expect.unreachable(String(error)));
    this.claimed = new IdempotencyClaims({
      clock: this.clock,
      vault,
      claims: new Proxy(claims, {
        get:
          (target, method: keyof ReplyClaims) =>
          (...args: unknown[]) =>
            this.#call(target, method, args),
      }),
      peers: this.#peers(name),
    });
    this.name = name;
  }

  #peers(name: string): Peers {
    const isKnown = (): boolean => this.isKnown;
    return {
      process: name,
      get isKnown() {
        return isKnown();
      },
      sightingOf: async (other) =>
        this.world.processes.find(({ name: each }) => each === other) ?? { presence: 'gone', reports: 0 },
    };
  }

  readonly name: string;

  /** Whether a store call is in flight. */
  get isCalling(): boolean {
    return this.#calls > 0;
  }

  get isRunning(): boolean {
    return this.presence === 'alive' && !this.#isKilled;
  }

  get reports(): number {
    return this.#reports;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** Other processes see it as alive for a while, or as vanished. */
  kill(presence: 'alive' | 'vanished' = 'alive'): void {
    this.#isKilled = true;
    this.#presence = presence;
  }

  advance(durationMs: number): void {
    if (!this.isRunning) return;
    this.#reports += 1;
    this.clock.advance(durationMs);
  }

  get presence(): Presence {
    return this.#presence;
  }

  set presence(presence: Presence) {
    this.#presence = presence;
    if (!this.isRunning) return;
    for (const resume of this.#frozenCalls.splice(0)) resume();
  }

  ask(digest = 'digest'): TestRequest {
    const ask = new TestRequest(this, digest);
    this.requests.push(ask);
    this.world.requests.push(ask);
    return ask;
  }

  async #call(target: ReplyClaims, method: keyof ReplyClaims, args: unknown[]): Promise<unknown> {
    if (this.isAway) throw new Error('the store is unreachable');
    await this.#whileRunning();
    if (method === 'claim') await this.claimsAfter;
    if (method === 'tell') await this.writesAfter;
    this.#calls += 1;
    try {
      return await (target[method] as (...all: unknown[]) => Promise<unknown>).apply(target, args);
    } finally {
      this.#calls -= 1;
      await this.#whileRunning();
    }
  }

  async #whileRunning(): Promise<void> {
    while (!this.isRunning) await new Promise<void>((resolve) => void this.#frozenCalls.push(resolve));
  }
}

let ids = 0;

/** One request. All have the same Idempotency-Key. */
class TestRequest {
  readonly id = `request ${(ids += 1)}`;
  readonly client = new FakeClient(1000);
  readonly reply: SharedReply;
  readonly process: FakeProcess;
  readonly #served: ServedRequest;
  #isFinishing = false;
  /** The text that it repeats while it streams. */
  readonly text = `${this.id} says. `;
  /** Incomplete replies whose processes were already killed when this request was sent. */
  readonly killedBefore: readonly TestRequest[];
  isGenerating = false;
  isOver = false;
  sent = '';
  end: ReplyEnd | undefined;
  failure: unknown;

  constructor(process: FakeProcess, digest: string) {
    const path = '/v1/chat/completions';
    this.process = process;
    this.killedBefore = process.world.generated.filter((generated) => generated.process.isKilled && !generated.isOver);
    const { clock } = process;
    this.#served = new ServedRequest({ id: this.id, path }, caller, clock);
    const { exchange } = this.client;
    const terms = { idempotencyKey: 'name', isRetry: false };
    this.reply = new SharedReply({ exchange, request: this.#served, clock, terms, lingerMs: 10_000 });
    this.reply.gone.addEventListener('abort', () => {
      if (this.isGenerating) this.#close({ error: undefined, isClientGone: true, isCommitted: this.sent !== '' });
    });
    void this.#serve(digest, path);
  }

  /** Whether a provider may still work on it. */
  get mayRun(): boolean {
    const { presence, isRunning } = this.process;
    return this.isGenerating && !this.isOver && (isRunning || presence === 'frozen');
  }

  record() {
    return this.#served.record(this.end ?? { error: undefined, isClientGone: false, isCommitted: true });
  }

  say(): void {
    this.sent += this.text;
    this.reply.write(this.text);
  }

  /** Ends the reply like a complete answer. */
  finish(last: string): void {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    this.sent += last;
    const say = (): void => {
      this.reply.end(last);
      this.#close({ error: undefined, isClientGone: false, isCommitted: true });
    };
    const recorded = this.reply.prepareEnd(last);
    if (recorded) void recorded.then(say);
    else say();
  }

  fail(error: Error): void {
    this.reply.fail(error);
    this.#close({ error, isClientGone: false, isCommitted: false });
  }

  async #serve(digest: string, path: string): Promise<void> {
    const { clock, replays, claimed: claims } = this.process;
    const inFlight = { caller, running: { signal: this.reply.gone }, reply: this.reply };
    try {
      const exchange = { ...this.client.exchange, path };
      const end = await joinReply({ clock, replays, claims }, exchange, inFlight, {
        digest,
        asks: () => {},
        model: () => 'model',
        errorFrame: (error) => `error frame: ${(error as GatewayError).case}`,
      });
      if (end) this.#close(end);
      else this.isGenerating = true;
    } catch (error) {
      this.failure = error;
      this.reply.fail(error);
      this.#close({ error, isClientGone: this.reply.gone.aborted, isCommitted: false });
    }
  }

  #close(end: ReplyEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.end = end;
    this.reply.close(end);
    this.process.claimed.ended(this.id, end);
  }
}
