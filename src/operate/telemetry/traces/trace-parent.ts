import { createTraceState, isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api';

const parentForm = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Parses the client's `traceparent` and `tracestate`. Returns `undefined` if `traceparent` is malformed. */
export function traceParent(parent: string, state: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = parentForm.exec(parent) ?? [];
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const traceState = state === undefined ? undefined : createTraceState(state);
  const context = { traceId, spanId, traceFlags, isRemote: true, ...(traceState && { traceState }) };
  return isSpanContextValid(context) ? context : undefined;
}

export function traceHeaders({ traceId, spanId, traceState }: SpanContext): Readonly<Record<string, string>> {
  const state = traceState?.serialize() ?? '';
  return { traceparent: `00-${traceId}-${spanId}-01`, ...(state !== '' && { tracestate: state }) };
}
