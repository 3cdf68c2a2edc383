import { createParser } from 'eventsource-parser';

/** The `data` of every event of a complete body. An event without a closing blank line is ignored. */
export function eventsOf(text: string): readonly string[] {
  const events: string[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event.data) });
  parser.feed(text);
  return events;
}

/** The lines of an event-stream body, without blank lines and keep-alive comments. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith(':'));
}
