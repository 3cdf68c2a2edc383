// oxlint-disable-next-line import/no-named-as-default -- its types declare the default export
import PDFDocument from 'pdfkit';
import { expect, test } from 'vitest';
import type { BillingDocument } from '../billing-document.ts';
import { FontParts } from './font-parts.ts';
import { printedDocument } from './printed-document.ts';
import { renderPdf } from './render-pdf.ts';

const receipt: BillingDocument = {
  number: 'R-2026-000001',
  kind: 'receipt',
  accountId: 'acc_1',
  reference: 'pay_1',
  amount: 20_000_000_000n,
  currency: 'USD',
  issuedAt: Date.parse('2026-02-01T10:00Z'),
  seller: { name: 'Example Ltd', address: ['1 Example Street'], taxNumber: 'DE123456789', note: 'HRB 1234' },
  customer: { name: '上海示例科技有限公司', address: ['世纪大道 100 号', 'Łódź'], country: '中国' },
  tax: { name: 'VAT', rate: '19', amount: '3.19' },
  subject: { paid: 'payment', paymentId: 'pay_1', provider: 'stripe', paidAt: Date.parse('2026-02-01T10:00Z') },
};

const statement: BillingDocument = {
  ...receipt,
  kind: 'statement',
  reference: '2026-01',
  amount: 7_500_000_007n,
  tax: undefined,
  subject: {
    month: '2026-01',
    timeZone: 'Asia/Shanghai',
    from: Date.parse('2025-12-31T16:00Z'),
    to: Date.parse('2026-01-31T16:00Z'),
    opening: '0.00',
    credits: [{ kind: 'topUps', amount: '10.00' }],
    charges: '-7.500000007',
    models: Array.from({ length: 50 }, (_, index) => ({ model: `model-${index}`, amount: '-0.15' })),
    closing: '2.499999993',
  },
};

const pagesOf = (pdf: Buffer) => Number(/\/Type \/Pages\n\/Count (\d+)/.exec(pdf.toString('latin1'))?.[1]);

test('a receipt is one page with embedded fonts that map back to text', async () => {
  const pdf = await renderPdf(receipt, 'zh');
  const text = pdf.toString('latin1');
  expect(text).toMatch(/^%PDF-1\./);
  expect(pagesOf(pdf)).toBe(1);
  const fonts = text.match(/\/Type \/FontDescriptor/g)?.length ?? 0;
  expect(fonts).toBeGreaterThan(5);
  expect(text.match(/\/FontFile2/g)).toHaveLength(fonts);
  expect(text.match(/\/ToUnicode/g)).toHaveLength(fonts);
  // Only the used glyphs: the whole font is 3 MB.
  expect(pdf.length).toBeLessThan(80_000);
});

test('a long statement continues on further pages', async () => {
  expect(pagesOf(await renderPdf(statement, 'en'))).toBe(3);
});

test('names of European languages keep their letters and marks', async () => {
  const names = [
    'Żółć, Łódź, ąęśćń',
    'İstanbul, Şişli, ğı',
    'Αθήνα, Ελλάδα',
    'Příbram, Győr, Čačak',
    'București',
    'Київ, Ґанок',
  ];
  const fonts = await FontParts.load(new PDFDocument(), names);
  const drawn = names.map((name) =>
    fonts
      .runs(name)
      .map(({ text }) => text)
      .join(''),
  );
  expect(drawn).toEqual(names);
});

test('names in any script, emoji, marks and control characters do not break a document', async () => {
  const lines = ['مرحبا שלום', '🎉👩‍👩‍👧', 'left\u202eright\u0007', '가나다 ไทย', 'a\u0301\u0327\u0334', '𠮷', ' ', ''];
  const customer = { name: 'W'.repeat(200), address: lines, country: '中'.repeat(200) };
  expect(pagesOf(await renderPdf({ ...receipt, seller: undefined, customer }, 'en'))).toBe(1);
});

test('the texts of a document are in the language of the reader, and its amounts add up', () => {
  const english = printedDocument(receipt, 'en');
  expect(english.facts.map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Number: R-2026-000001',
    'Issued: February 1, 2026',
    'Paid on: February 1, 2026',
    'Paid by: Stripe, pay_1',
  ]);
  expect(english.totals.map(({ label, amount }) => [label, amount])).toEqual([
    ['Total paid', '$20.00'],
    ['VAT included, 19 %', '$3.19'],
  ]);
  const chinese = printedDocument(statement, 'zh');
  expect(chinese.title).toBe('月度账单');
  expect(chinese.facts.at(-1)?.value).toBe('2026年1月1日 – 2026年1月31日 (Asia/Shanghai)');
  expect(chinese.rows.slice(0, 3).map(({ label, amount }) => [label, amount])).toEqual([
    ['期初余额', '$0.000000000'],
    ['充值', '$10.000000000'],
    ['扣费', '-$7.500000007'],
  ]);
  expect(chinese.notes).toEqual(['扣费已从预付余额中支付，无需另行付款。', 'HRB 1234']);
});
