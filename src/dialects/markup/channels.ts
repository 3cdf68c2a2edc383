import type { Parse } from './cursor.ts';
import { readArguments } from './json-arguments.ts';
import { headerMax, type MarkupCursor } from './reading.ts';

/** Where the text of a message goes, and what ends it. */
export interface ChannelSpan {
  readonly sink: 'text' | 'reasoning' | 'nobody';
  readonly closes: readonly string[];
}

/** How a family writes a message: a header that says to whom and on which channel, then a body. */
export interface Channels {
  readonly message: string;
  readonly closes: readonly string[];
  /** Recipients that mean the model itself. */
  readonly selves: readonly string[];
}

/** What a header turned out to be: a message whose text goes somewhere, a call that has been read, or no header. */
export type OpenedChannel = ChannelSpan | 'called' | undefined;

/** Reads the header of a message; a call is read to its end. */
export function* readChannel(reading: MarkupCursor, form: Channels): Parse<OpenedChannel> {
  const { cursor } = reading;
  const text = yield* cursor.until([form.message], headerMax);
  if (text === undefined) return undefined;
  const header = pattern.exec((reading.opener === '<|start|>' ? '' : reading.opener) + text)?.groups;
  if (!header) return undefined;
  cursor.at += form.message.length;
  const to = header.to ?? header.too;
  if (to === undefined || to === 'user') return span(header.channel === 'analysis' ? 'reasoning' : 'text', form);
  if (form.selves.includes(to)) return span('reasoning', form);
  const name = reading.tools.known(to);
  // Recipients that are no functions belong to the model's maker.
  if (!to.startsWith('functions.') && !reading.tools.has(name)) return span('nobody', form);
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
