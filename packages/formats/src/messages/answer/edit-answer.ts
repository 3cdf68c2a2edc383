import { setMember, spliceMembers, withoutMembers } from '../../json/json-splice.ts';
import { isObject, parsedJson, type WireObject } from '../../wire-value.ts';
import { providerCostFields, type Usage } from '../../chat/usage.ts';
import { encodeMessagesUsage } from './usage.ts';

/** Replaces the model's name in the JSON of a complete message. All other characters stay unchanged. */
export function renameMessage(text: string, model: string): string {
  return spliceMembers(text, new Map([['model', JSON.stringify(model)]]));
}

/** The same for the first frames of a message; `undefined` if they do not contain `message_start`. */
export function renameStart(frames: string, model: string): string | undefined {
  return editEvent(frames, { type: 'message_start', isLast: false }, (data, event) => {
    const rename = (message: string): string => (isObject(event.message) ? renameMessage(message, model) : message);
    return spliceMembers(data, new Map([['message', rename]]));
  });
}

/** Changes the JSON of the first or last event of a type in a provider's frames; `undefined` if they have none. */
export function editEvent(
  frames: string,
  { type, isLast }: { readonly type: string; readonly isLast: boolean },
  edit: (data: string, event: WireObject) => string,
): string | undefined {
  const lines = [...frames.matchAll(dataLine)];
  for (const line of isLast ? lines.toReversed() : lines) {
    const [whole, data = ''] = line;
    const event = data.includes(type) ? parsedJson(data) : undefined;
    if (!isObject(event) || event.type !== type) continue;
    const from = line.index + whole.length - data.length;
    return frames.slice(0, from) + edit(data, event) + frames.slice(from + data.length);
  }
  return undefined;
}

const dataLine = /^data:([^\r\n]*)/gm;

/** Adds the charge to the usage in JSON text, or the whole usage if there is none. Nothing else changes. */
export function addCost(text: string, usage: Usage): string {
  const { cost } = usage;
  if (cost === undefined) return text;
  return setMember(text, 'usage', (old) =>
    old?.startsWith('{')
      ? setMember(old, 'cost', () => JSON.stringify(cost))
      : JSON.stringify(encodeMessagesUsage(usage)),
  );
}

/** The same for the last `message_delta` of a provider's frames. */
export function addCostToFrames(frames: string, usage: Usage): string {
  return editEvent(frames, { type: 'message_delta', isLast: true }, (data) => addCost(data, usage)) ?? frames;
}

/** Removes the provider's own charge from the usage of a complete message. */
export function hideProviderCost(message: string): string {
  return message.includes(costMark) ? spliceMembers(message, new Map([['usage', withoutCost]])) : message;
}

/** The same for the first and last events of a message. */
export function hideProviderCostInFrames(frames: string): string {
  if (!frames.includes(costMark)) return frames;
  return frames.replace(dataLine, (line: string, data: string) => {
    const event = data.includes(costMark) ? parsedJson(data) : undefined;
    if (!isObject(event) || !usageEvents.has(event.type)) return line;
    const values = new Map([
      ['usage', withoutCost],
      ['message', (message: string) => (isObject(event.message) ? hideProviderCost(message) : message)],
    ]);
    return line.slice(0, line.length - data.length) + spliceMembers(data, values);
  });
}

const costMark = '"cost';
const usageEvents: ReadonlySet<unknown> = new Set(['message_start', 'message_delta']);

function withoutCost(usage: string): string {
  return usage.startsWith('{') && usage.includes(costMark) ? withoutMembers(usage, providerCostFields) : usage;
}
