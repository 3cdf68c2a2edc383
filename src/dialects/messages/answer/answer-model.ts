import { spliceMembers } from '../../json-splice.ts';
import { isObject, parsedJson } from '../../wire-value.ts';

/**
 * Replaces the model name in the text of a complete message. All other characters stay unchanged. The text must be
 * JSON.
 */
export function renameMessage(text: string, model: string): string {
  return spliceMembers(text, new Map([['model', JSON.stringify(model)]]));
}

/** The same for the first frames of a message; `undefined` if they do not contain `message_start`. */
export function renameStart(frames: string, model: string): string | undefined {
  for (const line of frames.matchAll(dataLine)) {
    const [whole, data = ''] = line;
    const event = data.includes(start) ? parsedJson(data) : undefined;
    if (!isObject(event) || event.type !== start) continue;
    const from = line.index + whole.length - data.length;
    const rename = (message: string): string => (isObject(event.message) ? renameMessage(message, model) : message);
    const renamed = spliceMembers(data, new Map([['message', rename]]));
    return frames.slice(0, from) + renamed + frames.slice(from + data.length);
  }
  return undefined;
}

const start = 'message_start';
const dataLine = /^data:([^\r\n]*)/gm;
