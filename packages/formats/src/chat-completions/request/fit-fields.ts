import { samplingHints } from '../../sampling-hints.ts';
import type { ResolvedQuirks } from '../quirks.ts';
import { isObject, listOf, type WireObject, wordSet } from '../../wire-value.ts';
import type { BodyFields } from './body-fields.ts';
import { decodeCallSignature, encodeCallSignature } from './call-signature.ts';

interface Fitting {
  readonly model: string;
  readonly quirks: Pick<ResolvedQuirks, 'fields' | 'callIds' | 'callSignatures'>;
}

/** Changes a body for a provider that refuses fields or ids which other providers of the format accept. */
export function fitFields(fields: BodyFields, { model, quirks }: Fitting): void {
  const needsSignatures = quirks.callSignatures === 'required' && verifiesSignatures.test(model);
  if (quirks.fields === 'any' && quirks.callIds === 'any' && !needsSignatures) return;
  for (const name of refusedFields(fields, quirks)) fields.delete(name);
  const ids = new Map<string, string>();
  const fit = (message: WireObject): WireObject => {
    const known = quirks.fields === 'standard' ? standardMembers(message) : message;
    const named = quirks.callIds === 'nine-characters' ? withShortIds(known, ids) : known;
    return needsSignatures ? withSignature(named) : named;
  };
  const messages = listOf(fields.get('messages'));
  fields.set(
    'messages',
    messages.map((message) => (isObject(message) ? fit(message) : message)),
  );
}

/** The names of fields that the provider would refuse and that do not change the question. */
export function refusedFields(
  fields: Iterable<readonly [string, unknown]>,
  quirks: Pick<ResolvedQuirks, 'fields'>,
): readonly string[] {
  if (quirks.fields === 'any') return [];
  const isRefused = ([name, value]: readonly [string, unknown]): boolean =>
    samplingHints.has(name) || labels.has(name) || (name === 'parallel_tool_calls' && value === true);
  return [...fields].filter(isRefused).map(([name]) => name);
}

const labels = wordSet('top_k user store metadata');

const standard = wordSet('role content tool_calls tool_call_id prefix');

function standardMembers(message: WireObject): WireObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => standard.has(name)));
}

/** The call and its result get the same id. */
function withShortIds(message: WireObject, ids: Map<string, string>): WireObject {
  const { tool_call_id: id } = message;
  return {
    ...withCalls(message, (call) => ({ ...call, id: shortId(call.id, ids) })),
    ...(id !== undefined && { tool_call_id: shortId(id, ids) }),
  };
}

/** Numbered in the order of the conversation, so that the next turn sends the same text for the provider's cache. */
function shortId(id: unknown, ids: Map<string, string>): unknown {
  if (typeof id !== 'string' || /^[A-Za-z0-9]{9}$/.test(id)) return id;
  const known = ids.get(id) ?? `call${String(ids.size + 1).padStart(5, '0')}`;
  ids.set(id, known);
  return known;
}

/** Gemini from version 3 on. */
const verifiesSignatures = /gemini-(?:[3-9]|\d{2})/i;

/** The documented value for calls that another model made, or whose signature a client dropped. */
const unverified = 'skip_thought_signature_validator';

/** Of parallel calls, only the first has a signature. */
function withSignature(message: WireObject): WireObject {
  return withCalls(message, (call, index) =>
    index > 0 || decodeCallSignature(call) !== undefined ? call : { ...call, ...encodeCallSignature(unverified) },
  );
}

function withCalls(message: WireObject, change: (call: WireObject, index: number) => WireObject): WireObject {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => (isObject(call) ? change(call, index) : call)) };
}
