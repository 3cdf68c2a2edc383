import type { Resource } from '../config/resource.ts';

/** What the running process knows of itself. */
export interface SystemState {
  readonly process: { readonly id: string; readonly startedAt: number };
  /** When this build was made. */
  readonly build: string;
  /** The configuration file it runs by, without its folder; `undefined`: it runs on defaults. */
  readonly file: string | undefined;
  /** What that file, or the defaults, say of the catalog. */
  readonly resources: readonly Resource[];
  /** Stored entries that cannot be used here, and why. */
  readonly problems: readonly string[];
}
