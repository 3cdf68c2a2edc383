import { spliceMembers } from '../json-splice.ts';
import { isObject, listOf, parsedJson, type WireObject, wordOf } from '../wire-value.ts';
import { type ResponsesEncoding, responseId } from './response-object.ts';

/** An event of a provider of the same format, to be passed on. */
export interface PassedEvent {
  readonly type: string;
  readonly fields: WireObject;
  /** Its JSON, as the provider wrote it. */
  readonly data: string;
}

/** What a piece of a provider's stream holds, if it is an event. Some providers say its type in its name alone. */
export function passedEvent(data: string, name?: string): PassedEvent | undefined {
  const fields = parsedJson(data);
  if (!isObject(fields)) return undefined;
  const type = wordOf(fields.type) ?? name;
  if (type === undefined || !/^[\w.-]{1,128}$/.test(type)) return undefined;
  return fields.type === type ? { type, fields, data } : toldEvent(type, fields);
}

/** An event that its provider has not sent, or not so. */
export function toldEvent(type: string, told: WireObject): PassedEvent {
  const fields = { ...told, type };
  return { type, fields, data: JSON.stringify(fields) };
}

/** The event with these values; as it came, if it has them. */
export function changed(event: PassedEvent, values: WireObject): PassedEvent {
  const { fields } = event;
  const isSame = Object.entries(values).every(
    ([name, value]) => fields[name] === value || JSON.stringify(fields[name]) === JSON.stringify(value),
  );
  return isSame ? event : toldEvent(event.type, { ...fields, ...values });
}

/** The frame of an event with our number, and what of the response is ours; all else is as it came. */
export function passedFrame({ type, fields, data }: PassedEvent, number: number, encoding: ResponsesEncoding): string {
  const values = new Map<string, string | ((value: string) => string)>([
    ['sequence_number', String(number)],
    ['response', (value) => renamedResponse(value, encoding)],
    // Told of another model than it asked for, a client warns its user.
    ['headers', '{}'],
  ]);
  const spliced = spliceMembers(data, values);
  const numbered = Object.hasOwn(fields, 'sequence_number')
    ? spliced
    : spliced.replace('{', `{"sequence_number":${number},`);
  return `event: ${type}\ndata: ${numbered.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
}

/** A response of a provider under our id and the catalog's name of the model, saying what the client asked for. */
export function renamedResponse(text: string, encoding: ResponsesEncoding): string {
  const { body, model } = encoding;
  const own: WireObject = {
    id: responseId(encoding),
    model,
    previous_response_id: body.previous_response_id ?? null,
    store: body.store ?? true,
    tools: listOf(body.tools),
  };
  return spliceMembers(text, new Map(Object.entries(own).map(([name, value]) => [name, JSON.stringify(value)])));
}
