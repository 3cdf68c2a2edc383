import type { BaseUrls } from '../../api/wire.ts';

/** What a snippet has to know to run as it stands. */
export interface SnippetValues {
  readonly baseUrls: BaseUrls;
  readonly model: string;
  readonly surfaces: readonly string[];
  readonly endpoints?: readonly string[];
  /** A secret, or the name of the variable that holds it. */
  readonly key?: string;
}
