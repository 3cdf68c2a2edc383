import type { Cursor, Parse } from './cursor.ts';
import type { OfferedTools } from './offered-tools.ts';

/** The input and output of an engine: the text, and the callbacks for calls. */
export interface MarkupCursor {
  readonly cursor: Cursor;
  readonly tools: OfferedTools;
  readonly repair: boolean;
  /** The literal that selected this form. It is already taken unless the form keeps it. */
  readonly opener: string;
  readonly endsNaturally: () => boolean;
  /**
   * Called when the header is complete. From here on this is a call, and nothing is taken back. Returns false without
   * side effects if the name cannot be that of a call. If `isSure` is false, only the name of an offered tool makes it
   * a call.
   */
  readonly begin: (call: {
    readonly name: string;
    readonly id?: string | undefined;
    readonly isSure?: boolean;
  }) => boolean;
  readonly write: (json: string) => void;
  readonly repaired: () => void;
  /** Called when the markup is complete and calls nothing. */
  readonly dismiss: () => void;
}

/** Reads the calls after an opener. Returns false before the first call has begun if the text is not markup. */
export type MarkupEngine = (reading: MarkupCursor) => Parse<boolean>;

/** Reads one more call of a block that already has calls. Text that is not a call is not taken. */
export function* another(cursor: Cursor, parse: Parse<boolean>): Parse<boolean> {
  cursor.mark();
  const isCall = yield* parse;
  if (isCall) cursor.commit();
  else cursor.rollback();
  return isCall;
}

/** Reads calls with `,` or `;` between them. Returns false if the first one is not a call. */
export function* separatedCalls(cursor: Cursor, readCall: () => Parse<boolean>): Parse<boolean> {
  if (!(yield* readCall())) return false;
  while (yield* another(cursor, readNext(cursor, readCall))) continue;
  return true;
}

function* readNext(cursor: Cursor, readCall: () => Parse<boolean>): Parse<boolean> {
  yield* cursor.eatAnyAfterBlanks([',', ';']);
  yield* cursor.skipBlanks();
  return yield* readCall();
}

/** A header that names a call is short. A longer text is not a header. */
export const headerMax = 512;
export const nameMax = 64;
