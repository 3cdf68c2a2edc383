import type { CallTrace } from '../core/request-trace.ts';
import { type HeaderLines, headerLines } from './http1/request-text.ts';

/** The header lines of a call, with those by which the provider goes on with our trace if it is to know of it. */
export function tracedLines(
  { passTrace }: { readonly passTrace: boolean },
  lines: HeaderLines,
  trace: CallTrace | undefined,
): HeaderLines {
  return passTrace && trace ? ((lines + headerLines(trace.headers)) as HeaderLines) : lines;
}
