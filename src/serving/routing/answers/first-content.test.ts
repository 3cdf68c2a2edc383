import { expect, test } from 'vitest';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { awaitFirstContent } from './first-content.ts';

const microtasks = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a flow that fails before its first content rejects, so that another upstream can be tried', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.fail(new GatewayError('upstream-failed'));
  await expect(opening).rejects.toMatchObject({ case: 'upstream-failed' });
});

test('a flow that ends without any event is a failure, not an empty answer', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.events([]);
  source.sink?.end();
  await expect(opening).rejects.toMatchObject({ case: 'upstream-failed' });
});

test('a reader receives all events between the first content and its start', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.events([textDelta('a')]);
  source.sink?.events([textDelta('b')]);
  source.sink?.end();
  const sink = new CollectingSink();
  (await opening).start(sink);
  expect(sink.batches).toEqual([]);
  await microtasks();
  expect(sink.batches.flat()).toEqual([textDelta('a'), textDelta('b')]);
  expect(sink.endings).toEqual(['end']);
});

test('a source that sends before the reader has started is paused, and resumed later', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.events([textDelta('a')]);
  expect(source.isPaused).toBe(false);
  source.sink?.events([textDelta('b')]);
  expect(source.isPaused).toBe(true);
  (await opening).start(new CollectingSink());
  await microtasks();
  expect(source.isPaused).toBe(false);
});

test('cancelling before the reader starts closes the source and delivers nothing', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.events([textDelta('a')]);
  const flow = await opening;
  const sink = new CollectingSink();
  flow.start(sink);
  flow.cancel();
  await microtasks();
  expect(source.isCancelled).toBe(true);
  expect(sink.batches).toEqual([]);
});

test('events without content are held back, and dropped if the upstream fails before its first content', async () => {
  const source = new ManualFlow();
  let isBegun = false;
  const opening = awaitFirstContent(source).then((flow) => {
    isBegun = true;
    return flow;
  });
  source.sink?.events([{ type: 'anomaly', what: 'odd' }]);
  await microtasks();
  expect(isBegun).toBe(false);
  source.sink?.events([textDelta('a')]);
  const sink = new CollectingSink();
  (await opening).start(sink);
  await microtasks();
  expect(sink.batches.flat()).toEqual([{ type: 'anomaly', what: 'odd' }, textDelta('a')]);

  const failing = new ManualFlow();
  const refused = awaitFirstContent(failing);
  failing.sink?.events([{ type: 'anomaly', what: 'odd' }]);
  failing.sink?.fail(new GatewayError('upstream-failed'));
  await expect(refused).rejects.toMatchObject({ case: 'upstream-failed' });
});

test('an answer that finishes without text is an answer', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.events([{ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' }]);
  await expect(opening).resolves.toBeDefined();
});

test('a provider that never sends content does not fill the memory', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  for (let i = 0; i < 1000; i += 1) source.sink?.events([{ type: 'anomaly', what: 'odd' }]);
  await expect(opening).resolves.toBeDefined();
});

test('a reader that pauses at once is not resumed automatically', async () => {
  const source = new ManualFlow();
  const opening = awaitFirstContent(source);
  source.sink?.events([textDelta('a')]);
  source.sink?.events([textDelta('b')]);
  const flow = await opening;
  flow.start(new CollectingSink());
  flow.pause();
  await microtasks();
  expect(source.isPaused).toBe(true);
});
