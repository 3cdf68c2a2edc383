import type { Strings } from '../../text/strings.ts';

/** The table of keys. Loaded with it. */
export const texts = {
  key: ['Key', '密钥'],
  limits: ['Settings', '设置'],
  notFound: ['No matching keys', '没有匹配的密钥'],
  accountSuspended: [
    'The account is suspended. Resume it before you create a key.',
    '账户已暂停，恢复后才能创建密钥。',
  ],
  askToResume: [
    'This account is suspended. Ask the gateway operator to resume it.',
    '此账户已暂停，请联系网关运营方恢复。',
  ],
  revokeMany: [{ one: 'Revoke {count} key?', other: 'Revoke {count} keys?' }, '吊销 {count} 个密钥？'],
  revokeManyText: [
    'Requests with these keys are rejected from now on. Running requests finish. This cannot be undone.',
    '使用这些密钥的请求将立即被拒绝，进行中的请求会继续完成。此操作无法撤销。',
  ],
  revokedMany: [{ one: '{count} key is revoked', other: '{count} keys are revoked' }, '已吊销 {count} 个密钥'],
} as const satisfies Strings;
