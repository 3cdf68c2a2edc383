import type { SharedState, Report } from './arbiter.ts';

/** So many subjects are known at once; of more, the oldest are forgotten. */
export const sharedStateMax = 1000;

/** The latest word on a subject, as an arbiter keeps it. */
export interface StoredSharedState {
  readonly subject: string;
  readonly process: string;
  readonly value: string;
  /** Counts up with everything that is said, so that nobody hears anything twice. */
  readonly version: number;
  readonly untilMs: number;
}

/** What a report adds, and what its process has not heard yet. What is over is told to nobody. */
export function mergeSharedState(known: readonly StoredSharedState[], report: Report, nowMs: number) {
  // What is over is forgotten, and must not be counted anew: time goes on meanwhile.
  const latest = Math.max(report.newsSeen, Math.floor(nowMs), ...known.map(({ version }) => version));
  const kept = report.news.slice(0, sharedStateMax).map(
    ({ subject, value, forMs }, index): StoredSharedState => ({
      subject,
      value,
      process: report.process,
      version: latest + 1 + index,
      untilMs: nowMs + forMs,
    }),
  );
  const told = known
    .filter((each) => each.version > report.newsSeen && each.process !== report.process && each.untilMs > nowMs)
    .filter((each) => !kept.some(({ subject }) => subject === each.subject))
    .map(({ subject, value, untilMs }): SharedState => ({ subject, value, forMs: untilMs - nowMs }));
  return { kept, told, seen: latest + kept.length };
}

/** The news that are still worth keeping, with what was added. */
export function afterSharedState(
  known: readonly StoredSharedState[],
  kept: readonly StoredSharedState[],
  nowMs: number,
): readonly StoredSharedState[] {
  const bySubject = new Map([...known, ...kept].map((each) => [each.subject, each]));
  const live = [...bySubject.values()].filter(({ untilMs }) => untilMs > nowMs);
  return live.toSorted((one, other) => one.version - other.version).slice(-sharedStateMax);
}
