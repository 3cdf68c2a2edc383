import type { Parse } from './cursor.ts';
import { readArguments } from './json-text.ts';
import { headerMax, type MarkupCursor } from './reading.ts';

export interface ChannelSpan {
  readonly sink: 'text' | 'reasoning' | 'discarded';
  readonly closes: readonly string[];
}

/** Message format: a header with the recipient and the channel, then a body. */
export interface Channels {
  readonly message: string;
  readonly closes: readonly string[];
  /** Recipients that mean the model itself. */
  readonly selves: readonly string[];
}

/**
 * Reads the header of a message, and to its end if the message is a call. Returns the span of the message, `called` for
 * a call, or undefined if it is not a header.
 */
export function* readChannel(reading: MarkupCursor, form: Channels): Parse<ChannelSpan | 'called' | undefined> {
  const { cursor } = reading;
  const text = yield* cursor.until([form.message], headerMax);
  if (text === undefined) return undefined;
  const header = pattern.exec((reading.opener === '<|start|>' ? '' : reading.opener) + text)?.groups;
  if (!header) return undefined;
  cursor.at += form.message.length;
  const to = header.to ?? header.too;
  if (to === undefined || to === 'user') return span(header.channel === 'analysis' ? 'reasoning' : 'text', form);
  if (form.selves.includes(to)) return span('reasoning', form);
  const name = reading.tools.resolveName(to);
  // A recipient that is not a function belongs to the model's vendor: drop the message.
  if (!to.startsWith('functions.') && !reading.tools.has(name)) return span('discarded', form);
  const blanks = yield* cursor.blanks();
  if (!(yield* cursor.sees('{', blanks)) && (yield* cursor.sees('<', blanks))) return span('text', form);
  if (!reading.begin({ name: name.replace(/^functions\./, '') })) return undefined;
  cursor.at += blanks;
  yield* readArguments(reading, { write: reading.write, closes: form.closes });
  yield* cursor.eatAnyAfterBlanks(form.closes);
  return 'called';
}

const pattern =
  /^\s*(?:assistant)?\s*(?:to=(?<to>[\w.-]+))?\s*(?:<\|channel\|>\s*(?<channel>\w+)\s*(?:to=(?<too>[\w.-]+))?\s*(?:<\|constrain\|>\s*)?(?:\w+)?\s*)?$/;

function span(sink: ChannelSpan['sink'], { closes }: Channels): ChannelSpan {
  return { sink, closes };
}
