import { expect, test } from 'vitest';
import type { ReconciledLine, Reconciliation } from '../../api/wire.ts';
import { foreignModels, resultCsv, sortedLines } from './result-lines.ts';

const none = { input_tokens: null, cached_tokens: null, output_tokens: null, cost: null };
const own = { ...none, attempts: 1, failed_attempts: 0, answers: 1, answers_without_cost: 0 };

function line(model: string, cost: string, fields: Partial<ReconciledLine> = {}): ReconciledLine {
  return {
    day: '2026-11-01',
    model,
    credential: null,
    invoice: { ...none, cost },
    own: { ...own, cost: '0.00' },
    charged: '0.10',
    difference: { ...none, cost },
    different: cost === '0.00' ? [] : ['cost'],
    reasons: {},
    requests: [],
    ...fields,
  };
}

const result = (...lines: readonly ReconciledLine[]): Reconciliation => ({
  upstream: 'acme',
  currency: 'USD',
  from: '2026-11-01',
  to: '2026-11-01',
  tolerance: '0.5',
  by_credential: false,
  different_lines: 1,
  missing_records: [],
  matched_models: [],
  totals: { invoice: none, own, charged: '0.10', difference: none },
  lines,
});

test('lines with the largest differences come first, compared to the last digit', () => {
  const lines = [line('same', '0.00'), line('small', '90071992.547409921'), line('large', '-90071992.547409922')];
  expect(sortedLines(result(...lines)).map(({ model }) => model)).toEqual(['large', 'small', 'same']);
});

test('the CSV keeps all digits and quotes, and no cell of it is a formula', () => {
  const csv = resultCsv(result(line('=cmd|"a"', '-0.000000001', { reasons: { retry: 2 } })));
  const [head, row] = csv.split('\r\n');
  expect(head).toContain('difference_cost,charged,currency');
  expect(row).toBe(`2026-11-01,"'=cmd|""a""",,,,,-0.000000001,,,,0.00,,,,-0.000000001,0.10,USD,cost,retry 2,`);
});

test('a model without an attempt of the gateway is only on the invoice', () => {
  const invoiced = line('renamed', '1.00', { own: { ...own, attempts: 0, answers: 0 } });
  expect(foreignModels(result(line('large', '1.00'), invoiced))).toEqual(['renamed']);
});
