import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { families } from './families.ts';
import { markerSoup } from '../../../../test/fixtures/dialects/markup/marker-soup.ts';
import { allTools, optionsFor } from '../../../../test/fixtures/dialects/markup/read-markup.ts';
import { LazyMarkupReader } from './lazy-markup-reader.ts';
import { type MarkupOptions, MarkupReader } from './markup-reader.ts';

type Step =
  | {
      readonly does: 'push';
      readonly text: string;
      readonly channel: 'content' | 'reasoning';
      readonly isScored: boolean;
    }
  | { readonly does: 'mute' | 'splitElsewhere' };

const words = fc.oneof(
  fc.constantFrom(
    'word',
    ' more',
    'fine',
    '\n',
    ' \t ',
    ' '.repeat(65),
    '`',
    '```',
    '',
    'Äh',
    '◁',
    '—',
    '\ud83d',
    '\ude00',
    '"',
    '\\',
  ),
  markerSoup,
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constant('push' as const),
      text: words,
      channel: fc.constantFrom('content', 'content', 'content', 'reasoning'),
      isScored: fc.constantFrom(false, false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('mute' as const, 'splitElsewhere' as const) }) },
);
const options: fc.Arbitrary<Partial<MarkupOptions>> = fc.record({
  format: fc.constantFrom('auto', 'auto', 'off', ...families.map(({ id }) => id)),
  tools: fc.constantFrom([], allTools),
  toolChoice: fc.constantFrom(undefined, 'none' as const, 'required' as const),
  wantsJson: fc.boolean(),
  dropsReasoning: fc.boolean(),
  startsIn: fc.constantFrom('text' as const, 'text' as const, 'reasoning' as const, 'doubt' as const),
});

/** The events of a reader, step by step. */
function eventsOf(reader: MarkupReader | LazyMarkupReader, steps: readonly Step[], passing: Passing): unknown {
  const events: StreamEvent[] = [];
  for (const one of steps) {
    if (one.does !== 'push') events.push(...reader[one.does]());
    else if (one.text !== '' && passing(reader, one)) {
      events.push({ type: one.channel === 'content' ? 'text-delta' : 'reasoning-delta', choice: 0, text: one.text });
    } else events.push(...reader.push(one.text, one.channel, scoresOf(one)));
    events.push({ type: 'anomaly', what: `${reader.callCount} calls, ${reader.isInDoubt ? 'in doubt' : 'sure'}` });
  }
  return [...events, ...reader.end('stop')];
}

type Passing = (reader: MarkupReader | LazyMarkupReader, step: Extract<Step, { does: 'push' }>) => boolean;

/** No record for a token without text: next to a call that was removed, it may belong to the text before or after. */
const scoresOf = ({ isScored, text: token }: { readonly isScored: boolean; readonly text: string }) =>
  isScored && token !== '' ? [{ token, logprob: -1, bytes: null, alternatives: undefined }] : [];
const never: Passing = () => false;
const asText: Passing = (reader, { text, channel, isScored }) => !isScored && reader.passes(text, channel);
/** Only text whose JSON has no long escapes may be passed as a literal. */
const asLiteral: Passing = (reader, { text, channel, isScored }) => {
  const literal = JSON.stringify(text).slice(1, -1);
  if (isScored || /\\u/.test(literal)) return false;
  return reader.passesLiteral(Buffer.from(literal).toString('latin1'), channel);
};

test.each<[string, Passing]>([
  ['read', never],
  ['offered as text', asText],
  ['offered as JSON', asLiteral],
])('pieces that are %s give the same events as a reader that reads everything', (_, passing) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), options, (steps, given) => {
      const lazy = eventsOf(new LazyMarkupReader(optionsFor(given)), steps, passing);
      expect(lazy).toEqual(eventsOf(new MarkupReader(optionsFor(given)), steps, never));
    }),
    { numRuns: isDeep ? 500 : 100 },
  );
});
