import type { SharedState, Report } from './arbiter.ts';

/** The most subjects that an arbiter keeps; beyond that, the oldest are deleted. */
export const sharedStateMax = 1000;

/** The latest value of a subject, as an arbiter stores it. */
export interface StoredSharedState {
  readonly subject: string;
  readonly process: string;
  readonly value: string;
  /** Counts up with every value, so that no process receives a value twice. */
  readonly version: number;
  readonly untilMs: number;
}

/** Returns the values that a report adds, and those that its process has not received yet, without expired ones. */
export function mergeSharedState(known: readonly StoredSharedState[], report: Report, nowMs: number) {
  // Expired values are deleted, but their versions must not be reused: the clock in the maximum prevents that.
  const latest = Math.max(report.sharedStateSeen, Math.floor(nowMs), ...known.map(({ version }) => version));
  const added = report.sharedState.slice(0, sharedStateMax).map(
    ({ subject, value, forMs }, index): StoredSharedState => ({
      subject,
      value,
      process: report.process,
      version: latest + 1 + index,
      untilMs: nowMs + forMs,
    }),
  );
  const unseen = known
    .filter((each) => each.version > report.sharedStateSeen && each.process !== report.process && each.untilMs > nowMs)
    .filter((each) => !added.some(({ subject }) => subject === each.subject))
    .map(({ subject, value, untilMs }): SharedState => ({ subject, value, forMs: untilMs - nowMs }));
  return { added, unseen, seen: latest + added.length };
}

/** The values that have not expired, including the added ones. */
export function afterSharedState(
  known: readonly StoredSharedState[],
  added: readonly StoredSharedState[],
  nowMs: number,
): readonly StoredSharedState[] {
  const bySubject = new Map([...known, ...added].map((each) => [each.subject, each]));
  const live = [...bySubject.values()].filter(({ untilMs }) => untilMs > nowMs);
  return live.toSorted((one, other) => one.version - other.version).slice(-sharedStateMax);
}
