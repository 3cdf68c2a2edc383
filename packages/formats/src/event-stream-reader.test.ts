import { expect, test } from 'vitest';
import { EventStreamReader } from './event-stream-reader.ts';

function eventsOf(...pieces: readonly string[]): readonly (readonly [data: string, name: string | undefined])[] {
  const events: [string, string | undefined][] = [];
  const reader = new EventStreamReader((data, name) => events.push([data, name]));
  for (const piece of pieces) reader.push(piece);
  return events;
}

test.each([
  [
    'the name belongs to one event only',
    'event: a\ndata: 1\n\ndata: 2\n\n',
    [
      ['1', 'a'],
      ['2', undefined],
    ],
  ],
  ['an event without data takes its name along', 'event: ping\n\ndata: 1\n\n', [['1', undefined]]],
  ['the last name counts, and an empty name is none', 'event: a\nevent:\ndata: 1\n\n', [['1', undefined]]],
  ['a field with a longer name is no field', 'eventful: a\ndatabase: 1\ndata: 2\n\n', [['2', undefined]]],
  ['a field without a colon is empty', 'data\ndata\n\n', [['\n', undefined]]],
  ['an event without its blank line is not complete', 'data: 1\n', []],
])('%s', (_, text, events) => {
  expect(eventsOf(text)).toEqual(events);
  expect(eventsOf(...text)).toEqual(events);
});

test('an event is complete with the CR that ends its blank line, before the next piece arrives', () => {
  expect(eventsOf('data: 1\r\r')).toEqual([['1', undefined]]);
  expect(eventsOf('data: 1\r', '\n\r')).toEqual([['1', undefined]]);
  expect(eventsOf('data: 1\r', '\ndata: 2\r\n\r', '\n')).toEqual([['1\n2', undefined]]);
});
