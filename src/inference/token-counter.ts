import type { Clock, Timer } from '../core/clock.ts';
import { type CountedSample, countedSample } from './counted-sample.ts';
import { type CountingThread, countingThread, type ThreadEvents } from './counting-thread.ts';
import { estimatedTokens } from './estimated-tokens.ts';

/** Counts tokens for answers whose provider did not say how many there were. */
export interface TokenCounter {
  /**
   * Token counts of the texts, in order. Never rejects: what cannot be counted in time is estimated. Parties take turns,
   * however much each of them has to count.
   */
  count(texts: readonly string[], party: string): Promise<readonly number[]>;
  stop(): Promise<void>;
}

/** How long anybody waits for a count before an estimate has to do. */
const patienceMs = 5000;
/** How long the thread may take to load its vocabulary, and then for one count, before it is taken for stuck. */
const startMaxMs = 30_000;
const countMaxMs = 2000;
/** What may wait, of all parties and of one. A short text counts as more than it is: it takes a turn like any other. */
const waitingCharactersMax = 32 * 1024 * 1024;
const partyCharactersMax = 8 * 1024 * 1024;
const jobCharactersMin = 1024;

interface Job {
  readonly samples: readonly CountedSample[];
  readonly characters: number;
  readonly answer: (counts: readonly number[] | undefined) => void;
  isOver: boolean;
}

/** The jobs of one party. */
interface Line {
  readonly jobs: Job[];
  characters: number;
}

export function tokenCounter(clock: Clock, startThread = countingThread): TokenCounter {
  return new QueuedCounter(clock, startThread);
}

/** The thread has one count at a time, so that who comes next is decided here, and a stuck one takes no other with it. */
class QueuedCounter implements TokenCounter {
  readonly #clock: Clock;
  readonly #startThread: (events: ThreadEvents) => CountingThread;
  /** Each party's jobs in order; the party whose turn is next comes first. */
  readonly #waiting = new Map<string, Line>();
  #characters = 0;
  #thread: CountingThread | undefined;
  #isReady = false;
  #counting: Job | undefined;
  #watch: Timer | undefined;

  constructor(clock: Clock, startThread: (events: ThreadEvents) => CountingThread) {
    this.#clock = clock;
    this.#startThread = startThread;
  }

  async count(texts: readonly string[], party: string): Promise<readonly number[]> {
    const samples = texts.map(countedSample);
    const characters = samples.reduce((sum, { text }) => sum + text.length, jobCharactersMin);
    const hasRoom = this.#hasRoomFor(characters, party);
    const counts = hasRoom ? await this.#counted({ samples, characters }, party) : undefined;
    return samples.map(({ text, scale }, at) => Math.round((counts?.[at] ?? estimatedTokens(text)) * scale));
  }

  async stop(): Promise<void> {
    this.#giveUpAll();
    await this.#endThread();
  }

  #hasRoomFor(characters: number, party: string): boolean {
    const ofParty = this.#waiting.get(party)?.characters ?? 0;
    return this.#characters + characters <= waitingCharactersMax && ofParty + characters <= partyCharactersMax;
  }

  #counted(work: Pick<Job, 'samples' | 'characters'>, party: string): Promise<readonly number[] | undefined> {
    return new Promise((resolve) => {
      const answer = (counts: readonly number[] | undefined): void => {
        this.#clock.cancel(patience);
        job.isOver = true;
        resolve(counts);
      };
      const job: Job = { ...work, answer, isOver: false };
      const patience = this.#clock.after(patienceMs, () => answer(undefined));
      this.#enter(job, party);
      this.#next();
    });
  }

  #enter(job: Job, party: string): void {
    const line = this.#waiting.get(party) ?? { jobs: [], characters: 0 };
    line.jobs.push(job);
    line.characters += job.characters;
    this.#characters += job.characters;
    this.#waiting.set(party, line);
  }

  /** The first job of the party whose turn it is; the party goes behind all others. */
  #take(): Job | undefined {
    for (const [party, line] of this.#waiting) {
      this.#waiting.delete(party);
      const job = line.jobs.shift();
      if (line.jobs.length > 0) this.#waiting.set(party, line);
      line.characters -= job?.characters ?? 0;
      this.#characters -= job?.characters ?? 0;
      if (job && !job.isOver) return job;
    }
    return undefined;
  }

  #next(): void {
    if (this.#counting || this.#waiting.size === 0) return;
    if (!this.#thread) return this.#start();
    if (!this.#isReady) return;
    this.#counting = this.#take();
    if (!this.#counting) return;
    this.#thread.count(this.#counting.samples.map(({ text }) => text));
    this.#watchFor(countMaxMs);
  }

  /** Without a descriptor or the memory for a thread, whoever waits has to do with an estimate. */
  #start(): void {
    try {
      this.#startOne();
    } catch {
      this.#giveUpAll();
    }
  }

  #startOne(): void {
    const thread = this.#startThread({
      ready: () => this.#heard(thread, () => void (this.#isReady = true)),
      counted: (counts) => this.#heard(thread, () => this.#settle(counts)),
      died: () => this.#heard(thread, () => this.#died()),
    });
    this.#thread = thread;
    this.#watchFor(startMaxMs);
  }

  /** A thread that was given up may still have something to say. */
  #heard(thread: CountingThread, react: () => void): void {
    if (thread !== this.#thread) return;
    this.#clock.cancel(this.#watch);
    react();
    this.#next();
  }

  #watchFor(durationMs: number): void {
    this.#watch = this.#clock.after(durationMs, () => {
      void this.#endThread();
      this.#next();
    });
    this.#watch.unref();
  }

  #settle(counts: readonly number[] | undefined): void {
    this.#counting?.answer(counts);
    this.#counting = undefined;
  }

  /** One that cannot even begin would not do better for those who wait. */
  #died(): void {
    if (!this.#isReady) this.#giveUpAll();
    void this.#endThread();
  }

  #giveUpAll(): void {
    for (const { jobs } of this.#waiting.values()) for (const job of jobs) job.answer(undefined);
    this.#waiting.clear();
    this.#characters = 0;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#clock.cancel(this.#watch);
    this.#thread = undefined;
    this.#isReady = false;
    this.#settle(undefined);
    await thread?.end();
  }
}
