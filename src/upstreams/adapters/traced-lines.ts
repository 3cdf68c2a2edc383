import type { CallTrace } from '../../core/request-trace.ts';
import { type HeaderLines, headerLines } from '../http1/request-text.ts';

/** Returns the header lines of a call, with trace headers if `passTrace` is set and the call is traced. */
export function tracedLines(
  { passTrace }: { readonly passTrace: boolean },
  lines: HeaderLines,
  trace: CallTrace | undefined,
): HeaderLines {
  return passTrace && trace ? ((lines + headerLines(trace.headers)) as HeaderLines) : lines;
}
