import { TagHeap, type Tagged } from '../../src/serving/routing/fair-queue/tag-heap.ts';
import type { Demand } from '../../src/serving/routing/fair-queue/demand.ts';
import { seededRandom } from '../../test/crash/random.ts';

/** Selects the next request. The fair queue and its control implement this. */
export interface Discipline {
  readonly waiting: number;
  enter(demand: Demand): object;
  next(limit: number): object | undefined;
  leave(ticket: object, actualCost: number): void;
}

/**
 * Accounts with the same behaviour. Each runs this number of streams, with a pause between an answer and the next
 * request.
 */
export interface Crowd {
  readonly name: string;
  readonly accounts: number;
  readonly streams: number;
  readonly weight?: number;
  readonly meanServiceMs: number;
  readonly meanPauseMs?: number;
}

export interface Scenario {
  readonly slots: number;
  readonly crowds: readonly Crowd[];
  readonly durationMs: number;
  readonly seed: string;
}

/** The result of one account after the warm-up. */
export interface Outcome {
  readonly crowd: Crowd;
  readonly weight: number;
  served: number;
  readonly waitsMs: number[];
}

export interface SimulationResult {
  readonly outcomes: readonly Outcome[];
  /** The share of slots that were busy while a request waited. */
  readonly workConservation: number;
}

const tokensPerMs = 0.05;
/** The start is not counted, because the queues fill first. */
const warmupShare = 0.2;

/** Runs a scenario on a virtual clock. The same seed gives the same result on any machine. */
export function simulate(scenario: Scenario, discipline: (elapsed: () => number) => Discipline): SimulationResult {
  const random = seededRandom(scenario.seed);
  const events = new TagHeap<Event>();
  const running = new Map<object, Job>();
  let nowMs = 0;
  const queue = discipline(() => nowMs);
  const warmupMs = warmupShare * scenario.durationMs;
  let waitedMs = 0;
  let busySlotMs = 0;

  const at = (tag: number, happen: () => void): void => events.rank({ tag, happen, heapIndex: -1, heapOrder: 0 });
  const exponential = (mean: number): number => -Math.log(1 - random()) * mean;

  function arrive(outcome: Outcome, accountId: string): void {
    const serviceMs = outcome.crowd.meanServiceMs * (0.25 + 1.5 * random());
    const cost = serviceMs * tokensPerMs;
    const estimate = cost * (0.5 + random());
    const demand = { accountId, keyId: accountId, weight: outcome.weight, cost: estimate, bytes: 1 };
    running.set(queue.enter(demand), { outcome, accountId, serviceMs, cost, arrivedMs: nowMs });
  }

  let busy = 0;
  function fill(): void {
    while (busy < scenario.slots) {
      const ticket = queue.next(scenario.slots);
      const job = ticket && running.get(ticket);
      if (!ticket || !job) return;
      busy += 1;
      if (nowMs >= warmupMs) job.outcome.waitsMs.push(nowMs - job.arrivedMs);
      at(nowMs + job.serviceMs, () => finish(ticket, job));
    }
  }

  function finish(ticket: object, { outcome, accountId, cost }: Job): void {
    busy -= 1;
    running.delete(ticket);
    queue.leave(ticket, cost);
    if (nowMs >= warmupMs) outcome.served += cost;
    const { meanPauseMs } = outcome.crowd;
    at(nowMs + (meanPauseMs === undefined ? 0 : exponential(meanPauseMs)), () => arrive(outcome, accountId));
  }

  const outcomes = scenario.crowds.flatMap((crowd) =>
    Array.from({ length: crowd.accounts }, (_, index) => {
      const outcome: Outcome = { crowd, weight: crowd.weight ?? 1, served: 0, waitsMs: [] };
      const spreadMs = crowd.meanPauseMs ?? 1000;
      for (let i = 0; i < crowd.streams; i++) at(random() * spreadMs, () => arrive(outcome, `${crowd.name} ${index}`));
      return outcome;
    }),
  );

  for (let event = events.first; event && event.tag < scenario.durationMs; event = events.first) {
    if (queue.waiting > 0 && nowMs >= warmupMs) {
      waitedMs += event.tag - nowMs;
      busySlotMs += busy * (event.tag - nowMs);
    }
    events.remove(event);
    nowMs = event.tag;
    event.happen();
    fill();
  }
  return { outcomes, workConservation: waitedMs === 0 ? 1 : busySlotMs / (waitedMs * scenario.slots) };
}

interface Event extends Tagged {
  readonly happen: () => void;
}

interface Job {
  readonly outcome: Outcome;
  readonly accountId: string;
  readonly serviceMs: number;
  readonly cost: number;
  readonly arrivedMs: number;
}
