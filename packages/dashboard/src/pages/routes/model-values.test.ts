import { describe, expect, it } from 'vitest';
import { advancedCount, modelSpec, modelValues } from './model-values.ts';

describe('the form of a model', () => {
  it('sends an unchanged model unchanged', () => {
    const spec = {
      id: 'acme/large',
      aliases: ['large'],
      owned_by: 'acme',
      surfaces: ['openai'] as const,
      context_window: 128_000,
      max_output_tokens: 8000,
      thinking: true,
      thinks_first: false,
      tool_format: 'off' as const,
      repair_arguments: true,
      untranslatable: 'drop' as const,
      continue: 'prefill' as const,
      guarantees: { strict: 'gateway', json: 'off' } as const,
      tools: { attempts: 0, paid_by: 'gateway' } as const,
      json_delivery: 'whole' as const,
      cache: 'auto' as const,
      fallbacks: [{ model: 'small' }, { model: 'other', on: ['failure', 'refusal'] as const }],
      routes: [{ upstream: 'one' }, { upstream: 'two', model: 'big', priority: 1 }],
      priced_fields: 'refuse' as const,
      price: {
        input: '1.5',
        output: '6',
        cached_input: '0.1',
        input_audio: '3',
        reasoning: '7',
        provider_tools: { web_search: '10', mcp: '0' },
        units: { request: '0.001' },
        time_zone: 'Asia/Shanghai',
        cache_write_12h: '4',
        tiers: [
          { when: { prompt_over: 200_000, region: 'us' }, input: '3', output: '9', output_audio: '20' },
          { when: { service_tier: 'priority', speed: 'fast' }, factor: '2' },
          { when: { days: ['sat', 'sun'] as const, from: '22:00', to: '24:00' }, factor: '0.5' },
        ],
      },
    };
    expect(modelSpec(modelValues(spec))).toEqual(spec);
  });

  it('keeps the order of fallbacks for each reason', () => {
    const spec = { id: 'm', routes: [{ upstream: 'one' }], price: 'free' as const };
    const fallbacks = { failure: ['a', 'b'], context_overflow: [], refusal: ['b', 'a'] };
    expect(modelSpec({ ...modelValues(spec), fallbacks }).fallbacks).toEqual([
      { model: 'a' },
      { model: 'b' },
      { model: 'b', on: ['refusal'] },
      { model: 'a', on: ['refusal'] },
    ]);
  });

  it('keeps the source of a price until the price is changed', () => {
    const price = { input: '1', output: '2', source: 'list of today' };
    const spec = { id: 'small', routes: [{ upstream: 'one' }], price };
    const values = modelValues(spec);
    expect(modelSpec({ ...values, aliases: ['s'] }, spec).price).toEqual(price);
    const changed = modelValues({ ...spec, price: { ...price, input: '3' } });
    expect(modelSpec(changed, spec).price).toEqual({ input: '3', output: '2' });
  });

  it('sends a model that only has endpoints, and names the surfaces of one that has both', () => {
    const spec = { id: 'e', endpoints: ['embeddings'] as const, routes: [{ upstream: 'one' }], price: 'free' as const };
    expect(modelSpec(modelValues(spec))).toEqual(spec);
    const both = { ...modelValues(spec), surfaces: modelValues({ ...spec, endpoints: [] }).surfaces };
    expect(modelSpec(both)).toEqual({ ...spec, surfaces: both.surfaces });
  });

  it('counts the advanced settings that differ from their defaults', () => {
    const spec = { id: 'm', routes: [{ upstream: 'one' }], price: 'free' as const };
    expect(advancedCount(modelValues(spec))).toBe(0);
    expect(advancedCount(modelValues({ ...spec, aliases: ['n'], thinking: true }))).toBe(2);
  });

  it('leaves out default values', () => {
    const spec = { id: 'small', routes: [{ upstream: 'one' }], price: 'free' as const };
    expect(modelSpec(modelValues(spec))).toEqual(spec);
  });

  it('keeps fields that it does not show', () => {
    const spec = {
      id: 'small',
      routes: [{ upstream: 'one' }],
      price: { input: '1', output: '2', extra: '3' },
      later: 'x',
    };
    const values = { ...modelValues(spec), aliases: ['s'] };
    expect(modelSpec(values, spec)).toEqual({ ...spec, aliases: ['s'] });
    expect(modelSpec({ ...values, aliases: [], isFree: true }, spec)).toEqual({ ...spec, price: 'free' });
    expect(modelSpec({ ...values, thinking: false }, { ...spec, thinking: true })).not.toHaveProperty('thinking');
  });
});
