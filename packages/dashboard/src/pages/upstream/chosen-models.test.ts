import { expect, test } from 'vitest';
import { canBeAdded, chosenModel, entryOf } from './chosen-models.ts';

const chosen = { model: 'large', input: '1.5', output: '6', known: undefined };

test('a model can be added only at prices that the gateway accepts', () => {
  expect(canBeAdded(chosen)).toBe(true);
  expect(canBeAdded({ ...chosen, input: '999999.999999' })).toBe(true);
  expect(canBeAdded({ ...chosen, input: '1000000' })).toBe(false);
  expect(canBeAdded({ ...chosen, output: '0.1234567' })).toBe(false);
  expect(canBeAdded({ ...chosen, output: '' })).toBe(false);
});

test('a model at its known price gets the other prices of the table, a model at another price does not', () => {
  const known = {
    model: 'large',
    known_as: 'large',
    as_of: '2026-01-31',
    currency: 'USD',
    price: { input: '1.25', output: '10', cached_input: '0.31' },
    tiers: [{ when: { prompt_over: 200_000 }, input: '2.50', output: '15' }],
    context_window: null,
    max_output_tokens: null,
  };
  const source = `table of chat-gateway, ${known.as_of}`;
  const fresh = chosenModel('large', known, 'USD');
  expect(entryOf(fresh, 'acme')['price']).toEqual({ ...known.price, tiers: known.tiers, source });
  expect(entryOf({ ...fresh, output: '12' }, 'acme')['price']).toEqual({ input: '1.25', output: '12' });
  expect(entryOf(chosenModel('large', { ...known, tiers: [] }, 'USD'), 'acme')['price']).toEqual({
    ...known.price,
    source,
  });
});
