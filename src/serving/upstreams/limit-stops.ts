import { defaultGuarantees } from 'chat-formats/chat/guarantee.ts';
import type { UpstreamCall } from './upstream.ts';

/** Some providers refuse too many stop sequences. The gateway enforces all of them; the forwarded ones save tokens. */
export function limitStops(call: UpstreamCall, stopMax: number | undefined): UpstreamCall {
  const { request, guarantees = defaultGuarantees } = call;
  if (stopMax === undefined || request.stop.length <= stopMax || guarantees.stop === 'off') return call;
  const stop = request.stop.slice(0, stopMax);
  const { text: _, ...wire } = request.wire;
  const field = wire.format === 'messages' ? 'stop_sequences' : 'stop';
  const { [field]: __, ...others } = wire.body;
  const body = stop.length > 0 ? { ...wire.body, [field]: stop } : others;
  return { ...call, request: { ...request, stop, wire: { ...wire, body } } };
}
