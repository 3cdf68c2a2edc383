import type { StreamEvent } from '../../chat/stream-event.ts';
import type { PartDecoding } from '../../named-event-stream.ts';
import { listOf, objectOf, parsedJson, type WireObject, nonEmptyString } from '../../wire-value.ts';

export interface ContentBlock {
  delta(delta: WireObject, events: StreamEvent[]): void;
  stop(events: StreamEvent[]): void;
}

/** Starts a block. Content in its start event is emitted at once. */
export function contentBlock(start: WireObject, decoding: PartDecoding, events: StreamEvent[]): ContentBlock {
  switch (start.type) {
    case 'text':
      return textBlock(start, decoding, events);
    case 'thinking':
      return thinkingBlock(start, decoding, events);
    case 'redacted_thinking':
      if (nonEmptyString(start.data)) events.push({ type: 'redacted-reasoning', choice: 0, data: String(start.data) });
      return ignoredBlock;
    case 'tool_use':
      return toolUseBlock(start, decoding, events);
    default:
      decoding.onUnsupported('a block', start.type);
      return decoding.isVerbatim ? providerBlock(start, events) : ignoredBlock;
  }
}

const ignoredBlock: ContentBlock = { delta() {}, stop() {} };

/** Longer input is not valid for a tool; its block is dropped. */
const ownInputCharactersMax = 1024 * 1024;

/** A block that core does not have, such as a use or a result of the provider's own tools. */
function providerBlock(start: WireObject, events: StreamEvent[]): ContentBlock {
  let input = '';
  events.push({ type: 'own-block', choice: 0 });
  return {
    delta(delta) {
      if (delta.type === 'input_json_delta' && input.length <= ownInputCharactersMax)
        input += nonEmptyString(delta.partial_json) ?? '';
    },
    stop(into) {
      const parsedInput = input === '' ? undefined : parsedJson(input);
      if (input !== '' && parsedInput === undefined) return;
      into.push({
        type: 'own-block',
        choice: 0,
        block: { ...start, ...(parsedInput !== undefined && { input: parsedInput }) },
      });
    },
  };
}

function textBlock(start: WireObject, decoding: PartDecoding, events: StreamEvent[]): ContentBlock {
  emitText('text-delta', start.text, events);
  if (listOf(start.citations).length > 0) decoding.onUnsupported('a delta', 'citations_delta');
  return {
    delta(delta, into) {
      if (delta.type === 'text_delta') emitText('text-delta', delta.text, into);
      else decoding.onUnsupported('a delta', delta.type);
    },
    stop() {},
  };
}

function emitText(type: 'text-delta' | 'reasoning-delta', text: unknown, into: StreamEvent[]): void {
  if (typeof text === 'string' && text !== '') into.push({ type, choice: 0, text });
}

/** A block may have several signatures; only the last one counts. */
function thinkingBlock(start: WireObject, decoding: PartDecoding, events: StreamEvent[]): ContentBlock {
  let signature = nonEmptyString(start.signature);
  emitText('reasoning-delta', start.thinking, events);
  return {
    delta(delta, into) {
      if (delta.type === 'thinking_delta') emitText('reasoning-delta', delta.thinking, into);
      else if (delta.type === 'signature_delta') signature = nonEmptyString(delta.signature) ?? signature;
      else decoding.onUnsupported('a delta', delta.type);
    },
    stop(into) {
      if (signature !== undefined) into.push({ type: 'reasoning-signature', choice: 0, signature });
    },
  };
}

/** Arguments come in pieces, or complete in the start event. A call without arguments gets an empty object. */
function toolUseBlock(start: WireObject, decoding: PartDecoding, events: StreamEvent[]): ContentBlock {
  const name = nonEmptyString(start.name);
  if (name === undefined) {
    decoding.onAnomaly('tool call without a name');
    return ignoredBlock;
  }
  const call = decoding.nextCall();
  const id = nonEmptyString(start.id) ?? `toolu_${decoding.newId()}`;
  let hasArguments = false;
  events.push({ type: 'tool-call-start', choice: 0, call, id, name });
  return {
    delta(delta, into) {
      if (delta.type !== 'input_json_delta') return decoding.onUnsupported('a delta', delta.type);
      const piece = nonEmptyString(delta.partial_json);
      if (piece === undefined) return;
      hasArguments = true;
      into.push({ type: 'tool-call-delta', choice: 0, call, arguments: piece });
    },
    stop(into) {
      if (hasArguments) return;
      into.push({ type: 'tool-call-delta', choice: 0, call, arguments: JSON.stringify(objectOf(start.input) ?? {}) });
    },
  };
}
