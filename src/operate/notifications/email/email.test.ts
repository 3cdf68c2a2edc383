import { expect, test } from 'vitest';
import { writeEmail } from './email.ts';

const data = { request_id: 'req_7', account_id: 'acc_ann', cost: '0.25', error: 'check <poison> failed' };
const subject = { kind: 'charge.refused', data, account: undefined, currency: 'USD' } as const;

function emailIn(...languages: ('en' | 'zh')[]) {
  return writeEmail({ to: 'ops@example.com', subject, languages, brand: 'Gateway', link: 'https://gateway.example/' });
}

test.each([
  ['en', 'A charge cannot be booked', 'retries it every minute', 'the log names every such charge'],
  ['zh', '一笔扣费无法记账', '每分钟重试一次', '日志会列出所有此类扣费'],
] as const)('the e-mail in %s names the charge, the cause and what to do', (language, title, retry, next) => {
  const { subject: head, text } = emailIn(language);
  expect(head).toContain(title);
  for (const part of ['req_7', 'acc_ann', '0.25 USD', data.error, retry, next]) expect(text).toContain(part);
  expect(text).not.toMatch(/[{}]|undefined/);
});

test.each([
  ['en', 'The automatic top-up of Acme is paused', 'The card has expired.'],
  ['zh', 'Acme 的自动充值已暂停', '银行卡已过期。'],
] as const)('the e-mail in %s about a paused top-up has its reason as a sentence', (language, title, why) => {
  const charge = { amount: '20.00', brand: 'visa', last4: '4242', reason: 'expired_card' };
  const paused = { kind: 'top_up.paused', data: charge, account: 'Acme', currency: 'USD' } as const;
  const content = { to: 'ann@example.com', subject: paused, languages: [language], brand: 'Gateway' };
  const { subject: head, text } = writeEmail({ ...content, link: 'https://gateway.example/' });
  expect(head).toContain(title);
  for (const part of [why, '4242', '20.00 USD']) expect(text).toContain(part);
  expect(text).not.toContain('expired_card');
});

test('a database error is escaped in the HTML of the e-mail', () => {
  const { html } = emailIn('en', 'zh');
  expect(html.match(/check &lt;poison&gt; failed/g)).toHaveLength(2);
  expect(html).not.toContain('<poison>');
});
