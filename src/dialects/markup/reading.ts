import type { Cursor, Parse } from './cursor.ts';
import type { OfferedTools } from './offered-tools.ts';

/** What an engine needs to read calls: the text, and where calls go. */
export interface MarkupCursor {
  readonly cursor: Cursor;
  readonly tools: OfferedTools;
  readonly repair: boolean;
  /** The literal that led here, which is taken already unless the form keeps it. */
  readonly opener: string;
  /** Whether text that ended did so because the model was done, not because it was cut off. */
  readonly endsNaturally: () => boolean;
  /**
   * The header is complete: from here on this is a call and nothing is taken back. Returns false when the name cannot
   * be a call's, and then nothing has happened. `isSure` is false where only a name that was offered makes it a call.
   */
  readonly begin: (call: {
    readonly name: string;
    readonly id?: string | undefined;
    readonly isSure?: boolean;
  }) => boolean;
  /** More of the newest call's arguments. */
  readonly write: (json: string) => void;
  /** The newest call's arguments were mended. */
  readonly repaired: () => void;
  /** The markup is whole and calls nothing. */
  readonly dismiss: () => void;
}

/** Reads the calls behind an opener. Returning false before the first call has begun means it is no markup after all. */
export type MarkupEngine = (reading: MarkupCursor) => Parse<boolean>;

/** Reads one more call of a block that has calls already; what is no call stays where it is. */
export function* another(cursor: Cursor, parse: Parse<boolean>): Parse<boolean> {
  cursor.mark();
  const isCall = yield* parse;
  if (isCall) cursor.commit();
  else cursor.rollback();
  return isCall;
}

/** A header that names a call is short; a longer one is something else. */
export const headerMax = 512;
export const nameMax = 64;
