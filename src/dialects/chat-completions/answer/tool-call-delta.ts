import { isObject, objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { decodeCallSignature } from '../request/call-signature.ts';

/** One tool-call delta, normalised across providers. */
export interface ToolCallDelta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
  /** The value that the provider requires back with the call. */
  readonly signature: string | undefined;
}

/** Reads a list of deltas, or a single delta without a list. */
export function decodeToolCallDeltas(value: unknown): readonly ToolCallDelta[] {
  const list = (Array.isArray(value) ? value : [value]).filter(isObject);
  // Several deltas of one chunk without an index are distinguished by their position.
  return list.map((wire, position) => decodeDelta(wire, list.length > 1 ? position : undefined));
}

function decodeDelta(wire: WireObject, position: number | undefined): ToolCallDelta {
  const called = objectOf(wire.function) ?? wire;
  const id = nonEmptyString(wire.id);
  const index = Number.isInteger(wire.index) ? (wire.index as number) : undefined;
  return {
    index: index ?? (id === undefined ? position : undefined),
    id,
    name: nonEmptyString(called.name),
    arguments: argumentsText(called.arguments),
    signature: decodeCallSignature(wire),
  };
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
