import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectedAnswer, readAnswer } from '../../../test/call-upstream.ts';
import { json } from '../../../test/fakes/fake-provider.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { type FakeCloud, fakeCloud, inPieces } from '../../../test/bridged/fake-cloud.ts';
import { allRecordings } from '../../../test/bridged/recordings.ts';
import { type Scenario, type ScenarioName, scenarios } from '../../../test/bridged/scenarios.ts';

const scenarioNames = Object.keys(scenarios) as ScenarioName[];

describe.each(allRecordings.map((recordings) => [recordings.kind, recordings] as const))('%s', (_kind, recordings) => {
  let cloud: FakeCloud;
  beforeAll(async () => {
    cloud = await fakeCloud(recordings);
  });
  afterAll(() => cloud.close());

  async function play({ request, thinking }: Scenario): Promise<CollectedAnswer> {
    const call = { model: recordings.model, credential: 0, thinking, request };
    return readAnswer(await cloud.upstream.open(call, new AbortController().signal));
  }

  async function refusalOf(scenario: Scenario): Promise<GatewayError> {
    const refused = await play(scenario).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(GatewayError);
    return refused as GatewayError;
  }

  test.each(scenarioNames)('answers “%s”, regardless of how its bytes are split', async (name) => {
    const { sent, bytes, events } = recordings.scenarios[name];
    const splits = fc.array(fc.nat(), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(splits, async (cuts) => {
        cloud.respond(inPieces(bytes, recordings.contentType, cuts));
        const result = await play(scenarios[name]);
        expect(result).toMatchObject({ outcome: 'complete', error: undefined });
        expect(result.events).toEqual(events);
      }),
      { numRuns: 8 },
    );
    const { method, path, body } = cloud.provider.calls.at(-1) ?? {};
    expect({ method, path, body }).toEqual({ method: 'POST', path: `/v1${recordings.path}`, body: sent });
  });

  test('distinguishes a refusal of the request from an error between gateway and provider', async () => {
    const { body, headers, code } = recordings.refusal;
    cloud.respond(json(400, body, headers));
    const rejected = await refusalOf(scenarios.plain);
    expect(rejected).toMatchObject({ case: 'upstream-rejected', cause: { status: 400, upstream: 'cloud' } });
    expect(rejected.code ?? '').toBe(code);
    for (const [status, errorCase] of [
      [401, 'upstream-failed'],
      [403, 'upstream-failed'],
      [404, 'upstream-rejected'],
      [424, 'upstream-failed'],
      [429, 'upstream-failed'],
      [500, 'upstream-failed'],
      [503, 'upstream-failed'],
      [504, 'upstream-timeout'],
      [302, 'upstream-failed'],
    ] as const) {
      cloud.respond(json(status, body, { location: 'http://127.0.0.1:1/' }));
      expect(await refusalOf(scenarios.plain)).toMatchObject({ case: errorCase, cause: { status } });
    }
  });

  test('fails with the provider’s error if it arrives in the middle of the answer', async () => {
    const { bytes, events, case: errorCase } = recordings.errorDuring;
    cloud.respond(inPieces(bytes, recordings.contentType, []));
    const result = await play(scenarios.plain);
    expect(result).toMatchObject({ outcome: 'failed', error: { case: errorCase } });
    expect(result.events).toEqual(events);
  });
});
