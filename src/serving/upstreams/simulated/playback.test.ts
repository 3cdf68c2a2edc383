import { expect, test } from 'vitest';
import { CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { Playback } from './playback.ts';

test.each([0, 1])('a script that throws after a pause of %i ms fails its own answer', async (delayMs) => {
  const bug = new Error('a bug in the script');
  function* script() {
    yield textDelta('one');
    throw bug;
  }
  const sink = new CollectingSink();
  new Playback(script(), delayMs, new AbortController().signal).flow.start(sink);
  await expect.poll(() => sink.endings, { message: 'how the answer ended' }).toEqual([{ error: bug }]);
  expect(sink.batches).toEqual([[textDelta('one')]]);
});
