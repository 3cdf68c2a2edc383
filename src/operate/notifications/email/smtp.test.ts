import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeSmtp, fakeSmtp, type SmtpFault } from '../../../../test/fakes/fake-smtp.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { writeEmail } from './email.ts';
import { sendEmail } from './smtp.ts';

let fault: SmtpFault;
let server: FakeSmtp;
beforeAll(async () => {
  server = await fakeSmtp(() => fault);
});
afterAll(() => server.close());

const link = 'https://gateway.example.com/app/invite?token=gwl_1';
const subject = { kind: 'invitation', by: 'ann@example.com', to: 'Acme' } as const;
const writing = { to: 'bob@example.com', subject, languages: ['en', 'zh'], brand: 'House AI', link } as const;

const send = (how: { to?: string; brand?: string; security?: 'none' | 'starttls' } = {}) => {
  const { security = 'none', ...more } = how;
  const connection = { host: '127.0.0.1', port: server.port, security, from: 'gateway@example.com' } as const;
  const others = { user: undefined, password: undefined, url: 'https://gateway.example.com', operators: [] };
  const settings = { ...connection, ...others, languages: ['en', 'zh'] as ('en' | 'zh')[] };
  // A hanging server never answers, so a short timeout is enough.
  const timeoutMs = fault === 'hang' ? 20 : 60_000;
  return sendEmail(writeEmail({ ...writing, ...more }), settings, { clock: systemClock, id: 'dlv_1', timeoutMs });
};

/** The last e-mail received, decoded. */
function lastEmail(): { head: string; body: string } {
  const { text } = server.emails.at(-1)!;
  const at = text.indexOf('\n\n');
  const decoded = text
    .slice(at)
    .replace(/=\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (part) => Buffer.from(part.replaceAll('=', ''), 'hex').toString('utf8'));
  return { head: text.slice(0, at), body: decoded };
}

test('an e-mail has both languages, text and HTML, the link and a fixed message id', async () => {
  expect(await send()).toEqual({});
  const { head, body } = lastEmail();
  expect(head).toMatch(/^From: gateway@example\.com$/m);
  expect(head).toMatch(/^To: .*bob@example\.com>?$/m);
  expect(head).toContain('<dlv_1@example.com>');
  expect(head).toContain('multipart/alternative');
  for (const words of ['ann@example.com invites you to join Acme.', '邀请您加入 Acme', link])
    expect(body).toContain(words);
  expect(body).toContain('<a href=');
});

test('a subject that is too long is cut at a whole character', () => {
  const { subject: title } = writeEmail({ ...writing, brand: `${'x'.repeat(149)}𠮷𠮷` });
  expect([title.length, title.isWellFormed()]).toEqual([149, true]);
});

test('a name cannot inject a header line or HTML', async () => {
  expect(await send({ brand: 'X\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>' })).toEqual({});
  const { head, body } = lastEmail();
  expect(head).not.toMatch(/^Bcc:/im);
  expect(body.slice(body.indexOf('text/html'))).toContain('&lt;script&gt;');
  expect(body.slice(body.indexOf('text/html'))).not.toContain('<script>');
  const before = server.commands.length;
  await send({ to: 'bob@example.com>\r\nRCPT TO:<eve@example.com' });
  expect(server.commands.slice(before).filter((line) => line.startsWith('RCPT')).length).toBeLessThanOrEqual(1);
  expect(server.commands.slice(before).join('\n')).not.toMatch(/RCPT TO:<eve/);
});

test.each([
  ['refuse-reader', { status: 550, fault: 'mail-refused', isFinal: true }],
  ['busy', { status: 451, fault: 'mail-refused', isFinal: false }],
  ['close', { fault: 'unreachable' }],
  ['hang', { fault: 'timeout' }],
] as const)('an SMTP server with the fault %s gives its own result', async (serverFault, result) => {
  fault = serverFault;
  const before = server.emails.length;
  expect(await send()).toEqual(result);
  expect(server.emails).toHaveLength(before);
  fault = undefined;
});

test('no e-mail is sent to a server without STARTTLS if the operator requires it', async () => {
  const [emails, commands] = [server.emails.length, server.commands.length];
  expect(await send({ security: 'starttls' })).toMatchObject({ fault: 'mail-refused' });
  expect(server.emails).toHaveLength(emails);
  expect(server.commands.slice(commands).join('\n')).not.toContain('MAIL');
});
