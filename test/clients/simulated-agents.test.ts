import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type SimulatedGateway, startSimulatedGateway } from '../gateways/simulated-gateway.ts';

let gateway: SimulatedGateway;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startSimulatedGateway();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: gateway.key, authToken: null });
});
afterAll(() => gateway.stop());

const place = z.object({ name: z.string().min(1), country: z.enum(['NO', 'SE']) }).meta({ id: 'Place' });
const trip = z.object({ from: place, to: place, stops: z.array(place).min(1), days: z.int().min(2) });
/** A schema as frameworks write it: a part that is used twice becomes a reference. */
const schema: Record<string, unknown> = { ...z.toJSONSchema(trip, { reused: 'ref' }) };

test('an openai SDK agent with a required tool calls it once, with valid arguments, and finishes', async () => {
  const given: unknown[] = [];
  const runner = openai.chat.completions.runTools({
    model: 'sim-tools',
    stream: true,
    tool_choice: 'required',
    messages: [{ role: 'user', content: 'Plan a trip.' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'plan_trip',
          description: 'Plans a trip',
          parameters: schema,
          parse: (text: string) => trip.parse(JSON.parse(text)),
          function: (plan: unknown) => {
            given.push(plan);
            return 'planned';
          },
        },
      },
    ],
  });
  expect(await runner.finalContent()).toContain('planned');
  expect(given).toHaveLength(1);
});

test('an Anthropic SDK agent with a required tool calls it once, and finishes', async () => {
  const given: unknown[] = [];
  const final = await anthropic.beta.messages.toolRunner({
    model: 'sim-tools',
    max_tokens: 1000,
    max_iterations: 5,
    tool_choice: { type: 'any' },
    messages: [{ role: 'user', content: 'Plan a trip.' }],
    tools: [
      {
        name: 'plan_trip',
        description: 'Plans a trip',
        input_schema: schema as Anthropic.Tool.InputSchema,
        parse: (value: unknown) => trip.parse(value),
        run: (plan: unknown) => {
          given.push(plan);
          return 'planned';
        },
      },
    ],
  });
  expect(JSON.stringify(final.content)).toContain('planned');
  expect(given).toHaveLength(1);
});

test('a structured answer matches a schema with references', async () => {
  const stream = openai.chat.completions.stream({
    model: 'sim-chat',
    messages: [{ role: 'user', content: 'Plan a trip.' }],
    response_format: { type: 'json_schema', json_schema: { name: 'trip', schema, strict: true } },
  });
  expect(trip.parse(JSON.parse((await stream.finalContent()) ?? ''))).toMatchObject({ days: 2 });
});
