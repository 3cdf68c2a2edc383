import { EventStreamReader } from 'chat-formats/event-stream-reader.ts';

/** The `data` of every event of a complete body. An event without a closing blank line is ignored. */
export function eventsOf(text: string): readonly string[] {
  const events: string[] = [];
  const reader = new EventStreamReader((data) => events.push(data));
  reader.push(text);
  return events;
}

/** The lines of an event-stream body, without blank lines and keep-alive comments. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith(':'));
}
