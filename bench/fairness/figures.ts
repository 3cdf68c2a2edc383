import { jainIndex } from '../../src/routing/jain-index.ts';
import { median, quantiles } from '../statistics.ts';
import { type Discipline, type Outcome, type Scenario, simulate } from './simulation.ts';

/** The figures by which fairness is judged. */
export interface FairnessFigures {
  /** Over what waiting accounts got for their weight, the least of two scenarios: one hog, and answers of very different length. */
  readonly jain: number;
  /** The largest departure of an account's share from that of its weight. */
  readonly shareError: number;
  /** Of accounts with one stream each beside a hog of 500, in mean service times. */
  readonly lightWaitP99: number;
  /** The worst account's p99 to the median account's, where all want the same. */
  readonly waitRatio: number;
  /** Waits longer than ten times the median, where all want the same. */
  readonly starved: number;
  /** Where several accounts wait; beside one alone a tenth of the places is kept for newcomers on purpose. */
  readonly workConservation: number;
}

const places = 32;
const hour = 3_600_000;
const serviceMs = 10_000;

const scenarios = {
  hog: {
    places,
    durationMs: 3 * hour,
    seed: 'hog',
    crowds: [
      { name: 'hog', accounts: 1, streams: 200, meanServiceMs: serviceMs },
      { name: 'busy', accounts: 19, streams: 10, meanServiceMs: serviceMs },
    ],
  },
  lengths: {
    places,
    durationMs: 5 * hour,
    seed: 'lengths',
    crowds: [
      { name: 'short', accounts: 5, streams: 40, meanServiceMs: 2000 },
      { name: 'long', accounts: 5, streams: 40, meanServiceMs: 40_000 },
    ],
  },
  weights: {
    places,
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
    places,
    durationMs: 3 * hour,
    seed: 'light',
    crowds: [
      { name: 'hog', accounts: 1, streams: 500, meanServiceMs: serviceMs },
      { name: 'light', accounts: 50, streams: 1, meanServiceMs: serviceMs, meanPauseMs: 60_000 },
    ],
  },
  equal: {
    places,
    durationMs: 3 * hour,
    seed: 'equal',
    crowds: [{ name: 'equal', accounts: 20, streams: 10, meanServiceMs: serviceMs }],
  },
} as const satisfies Record<string, Scenario>;

/** Plays every scenario; takes a second or so, and always says the same of the same discipline. */
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

/** Of what was served and of the weights, how far the two shares of an account lie apart at most. */
export function shareError(outcomes: readonly Pick<Outcome, 'served' | 'weight'>[]): number {
  const served = outcomes.reduce((sum, outcome) => sum + outcome.served, 0);
  const weights = outcomes.reduce((sum, { weight }) => sum + weight, 0);
  return Math.max(...outcomes.map((outcome) => Math.abs(outcome.served / served / (outcome.weight / weights) - 1)));
}
