import type { Problem } from './problem.ts';

/** How the last reload of the configuration file ended, and when one last succeeded. The start counts as one. */
export interface ReloadState {
  readonly isSuccessful: boolean;
  /** In milliseconds since 1970. */
  readonly succeededAt: number;
}

/** A configuration file that was not applied, and why. */
export interface RefusedReload {
  readonly file: string;
  readonly reason: string;
  /** What is wrong in the file; none where the file is right and the gateway cannot run by it. */
  readonly problems: readonly Problem[];
}

/** What came of a reload. */
export interface Reload {
  readonly state: ReloadState;
  /** For the log of one process; the others only keep the state. */
  readonly refusal?: RefusedReload | undefined;
}
