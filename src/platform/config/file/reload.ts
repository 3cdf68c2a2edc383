import type { LocatedProblem } from './problem.ts';

/** The result of the last reload of the configuration file, and the time of the last success. The start counts as one. */
export interface ReloadState {
  readonly isSuccessful: boolean;
  /** In milliseconds since 1970. */
  readonly succeededAt: number;
}

/** A configuration file that was not applied, and why. */
export interface RefusedReload {
  readonly file: string;
  readonly reason: string;
  /** The problems of the file. Empty if the file is valid but the gateway cannot apply it. */
  readonly problems: readonly LocatedProblem[];
}

export interface Reload {
  readonly state: ReloadState;
  /** Set for the one process that writes the log; the others only keep the state. */
  readonly refusal?: RefusedReload | undefined;
}
