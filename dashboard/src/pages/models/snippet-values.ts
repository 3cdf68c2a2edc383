import type { BaseUrls } from '../../api/wire.ts';

/** The values that make a snippet runnable. */
export interface SnippetValues {
  readonly baseUrls: BaseUrls;
  readonly model: string;
  readonly surfaces: readonly string[];
  readonly endpoints?: readonly string[];
  /** A secret, or the name of the variable that holds it. */
  readonly key?: string;
}
