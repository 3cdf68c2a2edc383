import { createParser } from 'eventsource-parser';

/** The `data` of every event of a whole event-stream body; an event that was never closed by a blank line is none. */
export function eventsOf(text: string): readonly string[] {
  const events: string[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event.data) });
  parser.feed(text);
  return events;
}

/** The lines of an event-stream body that carry something: neither blank nor a keep-alive comment. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith(':'));
}
