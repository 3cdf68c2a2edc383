import { describe, expect, test } from 'vitest';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { InvariantViolation } from '../assert.ts';
import type { EventSink } from './event-flow.ts';
import { EventRelay } from './event-relay.ts';
import { guardedSink } from './guarded-sink.ts';

const bug = new Error('a bug in the gateway');

/** A sink that throws in one method and records its calls. */
class ThrowingSink extends CollectingSink {
  readonly #at: keyof EventSink;

  constructor(at: keyof EventSink) {
    super();
    this.#at = at;
  }

  override events(batch: Parameters<EventSink['events']>[0]): void {
    super.events(batch);
    if (this.#at === 'events') throw bug;
  }

  override end(): void {
    super.end();
    if (this.#at === 'end') throw bug;
  }

  override fail(error: unknown): void {
    super.fail(error);
    if (this.#at === 'fail') throw bug;
  }
}

describe('a reader that throws', () => {
  test('in events: its source is cancelled, and it gets its error and nothing more', () => {
    const source = new ManualFlow();
    const sink = new ThrowingSink('events');
    const guarded = guardedSink(sink, source);
    guarded.events([textDelta('one')]);
    guarded.events([textDelta('two')]);
    guarded.end();
    expect(source.isCancelled).toBe(true);
    expect(sink.batches).toEqual([[textDelta('one')]]);
    expect(sink.endings).toEqual([{ error: bug }]);
  });

  test('in end: it gets its error', () => {
    const sink = new ThrowingSink('end');
    guardedSink(sink, new ManualFlow()).end();
    expect(sink.endings).toEqual(['end', { error: bug }]);
  });

  test('in fail: the error callback gets the error', () => {
    const errors: unknown[] = [];
    guardedSink(new ThrowingSink('fail'), new ManualFlow(), (error) => errors.push(error)).fail(new Error('cut'));
    expect(errors).toEqual([bug]);
  });
});

test('a source that ends twice violates an invariant, and its reader gets one end', () => {
  const errors: unknown[] = [];
  const sink = new CollectingSink();
  const guarded = guardedSink(sink, new ManualFlow(), (error) => errors.push(error));
  guarded.end();
  guarded.fail(new Error('late'));
  expect(sink.endings).toEqual(['end']);
  expect(errors).toEqual([expect.any(InvariantViolation)]);
});

describe('a stage that throws', () => {
  class Stage extends EventRelay {
    readonly closings: string[] = [];
    override events(batch: Parameters<EventSink['events']>[0]): void {
      if (batch.length > 1) throw bug;
      super.events(batch);
    }
    protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
      this.closings.push(how);
      throw bug;
    }
  }
  const running = () => {
    const source = new ManualFlow();
    const stage = new Stage(source);
    const sink = new CollectingSink();
    stage.start(sink);
    return { source, stage, sink };
  };

  test('in events: the source is cancelled and the reader gets one error', () => {
    const { source, stage, sink } = running();
    source.sink!.events([textDelta('one'), textDelta('two')]);
    source.sink!.end();
    expect(source.isCancelled).toBe(true);
    expect(sink.endings).toEqual([{ error: bug }]);
    expect(stage.closings).toEqual(['failed']);
  });

  test('in closed: the reader gets a failure, not an end', () => {
    const { source, stage, sink } = running();
    source.sink!.end();
    expect(sink.endings).toEqual([{ error: bug }]);
    expect(stage.closings).toEqual(['ended']);
  });

  test('in cancel: the source is still cancelled', () => {
    const { source, stage, sink } = running();
    expect(() => stage.cancel()).toThrow(bug);
    expect(source.isCancelled).toBe(true);
    expect(sink.endings).toEqual([]);
  });
});
