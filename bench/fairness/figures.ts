import { jainIndex } from '../../src/serving/routing/queue/jain-index.ts';
import { median, quantiles } from '../statistics.ts';
import { type Discipline, type Outcome, type Scenario, simulate } from './simulation.ts';

export interface FairnessFigures {
  /**
   * Over the work of waiting accounts relative to their weights, the lower of two scenarios: one hog, and answers of
   * very different lengths.
   */
  readonly jain: number;
  /** The largest difference between an account's share and the share of its weight. */
  readonly shareError: number;
  /** Of accounts with one stream each, next to a hog of 500 streams, in mean service times. */
  readonly lightWaitP99: number;
  /** The worst account's p99 relative to the median account's, with equal demand. */
  readonly waitRatio: number;
  /** Waits longer than ten times the median, with equal demand. */
  readonly starved: number;
  /**
   * With several waiting accounts. If only one account waits, a tenth of the slots is kept for first-time accounts on
   * purpose.
   */
  readonly workConservation: number;
}

const slots = 32;
const hour = 3_600_000;
const serviceMs = 10_000;

const scenarios = {
  hog: {
    slots,
    durationMs: 3 * hour,
    seed: 'hog',
    crowds: [
      { name: 'hog', accounts: 1, streams: 200, meanServiceMs: serviceMs },
      { name: 'busy', accounts: 19, streams: 10, meanServiceMs: serviceMs },
    ],
  },
  lengths: {
    slots,
    durationMs: 5 * hour,
    seed: 'lengths',
    crowds: [
      { name: 'short', accounts: 5, streams: 40, meanServiceMs: 2000 },
      { name: 'long', accounts: 5, streams: 40, meanServiceMs: 40_000 },
    ],
  },
  weights: {
    slots,
    durationMs: 3 * hour,
    seed: 'weights',
    crowds: [1, 2, 4].map((weight) => ({
      name: `weight ${weight}`,
      accounts: 2,
      streams: 60,
      weight,
      meanServiceMs: serviceMs,
    })),
  },
  light: {
    slots,
    durationMs: 3 * hour,
    seed: 'light',
    crowds: [
      { name: 'hog', accounts: 1, streams: 500, meanServiceMs: serviceMs },
      { name: 'light', accounts: 50, streams: 1, meanServiceMs: serviceMs, meanPauseMs: 60_000 },
    ],
  },
  equal: {
    slots,
    durationMs: 3 * hour,
    seed: 'equal',
    crowds: [{ name: 'equal', accounts: 20, streams: 10, meanServiceMs: serviceMs }],
  },
} as const satisfies Record<string, Scenario>;

/** Runs every scenario in about a second. The same discipline always gives the same figures. */
export function fairnessFigures(discipline: (elapsed: () => number) => Discipline): FairnessFigures {
  const [hog, lengths, weights, light, equal] = [
    simulate(scenarios.hog, discipline),
    simulate(scenarios.lengths, discipline),
    simulate(scenarios.weights, discipline),
    simulate(scenarios.light, discipline),
    simulate(scenarios.equal, discipline),
  ];
  const lightWaits = light.outcomes.filter(({ crowd }) => crowd.name === 'light').flatMap(({ waitsMs }) => waitsMs);
  const equalP99s = equal.outcomes.map(({ waitsMs }) => quantiles(waitsMs).p99);
  const equalWaits = equal.outcomes.flatMap(({ waitsMs }) => waitsMs);
  const starvedAboveMs = 10 * median(equalWaits);
  return {
    jain: Math.min(evenness(hog.outcomes), evenness(lengths.outcomes)),
    shareError: shareError(weights.outcomes),
    lightWaitP99: quantiles(lightWaits).p99 / serviceMs,
    waitRatio: Math.max(...equalP99s) / median(equalP99s),
    starved: equalWaits.filter((waitMs) => waitMs > starvedAboveMs).length,
    workConservation: Math.min(...[hog, lengths, weights, equal].map((result) => result.workConservation)),
  };
}

function evenness(outcomes: readonly Outcome[]): number {
  return jainIndex(outcomes.map(({ served, weight }) => served / weight));
}

/** The largest difference between an account's share of the work and its share of the weights. */
export function shareError(outcomes: readonly Pick<Outcome, 'served' | 'weight'>[]): number {
  const served = outcomes.reduce((sum, outcome) => sum + outcome.served, 0);
  const weights = outcomes.reduce((sum, { weight }) => sum + weight, 0);
  return Math.max(...outcomes.map((outcome) => Math.abs(outcome.served / served / (outcome.weight / weights) - 1)));
}
