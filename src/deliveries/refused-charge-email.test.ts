import { expect, test } from 'vitest';
import { writeEmail } from './email.ts';

const data = { request_id: 'req_7', account_id: 'acc_ann', cost: '0.25', error: 'check <poison> failed' };
const notice = { id: 'ntc_1', kind: 'charge.refused', accountId: undefined, at: 1, data } as const;
const subject = { kind: 'notice', notice, account: undefined, currency: 'USD' } as const;

function letter(...languages: ('en' | 'zh')[]) {
  return writeEmail({ to: 'ops@example.com', subject, languages, brand: 'Gateway', link: 'https://gateway.example/' });
}

test.each([
  ['en', 'A charge cannot be booked', 'retries it every minute', 'the log names every such charge'],
  ['zh', '一笔扣费无法入账', '每分钟重试一次', '日志会列出所有此类扣费'],
] as const)(
  'operators read in %s which charge cannot be booked, why, and what to do',
  (language, title, again, next) => {
    const { subject: head, text } = letter(language);
    expect(head).toContain(title);
    for (const said of ['req_7', 'acc_ann', '0.25 USD', data.error, again, next]) expect(text).toContain(said);
    expect(text).not.toMatch(/[{}]|undefined/);
  },
);

test('what a database says of a charge is text in its letter, never markup', () => {
  const { html } = letter('en', 'zh');
  expect(html.match(/check &lt;poison&gt; failed/g)).toHaveLength(2);
  expect(html).not.toContain('<poison>');
});
