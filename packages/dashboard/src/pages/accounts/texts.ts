import type { Strings } from '../../text/strings.ts';

/** The list of accounts. Loaded with it. */
export const texts = {
  spend: ['Spend, 30 days', '近 30 天消费'],
  sortSpend: ['Highest spend first', '消费从高到低'],
  sortLowestSpend: ['Lowest spend first', '消费从低到高'],
  sortLowestBalance: ['Lowest balance first', '余额从低到高'],
  suspendMany: [{ one: 'Suspend {count} account?', other: 'Suspend {count} accounts?' }, '暂停 {count} 个账户？'],
  suspendManyText: [
    'Their keys are rejected from now on. Running requests finish. Nothing is deleted, and you can resume them at any time.',
    '其密钥将立即被拒绝，进行中的请求会继续完成。数据不会删除，可随时恢复。',
  ],
  suspendedMany: [
    { one: '{count} account is suspended', other: '{count} accounts are suspended' },
    '已暂停 {count} 个账户',
  ],
  resumeMany: [{ one: 'Resume {count} account?', other: 'Resume {count} accounts?' }, '恢复 {count} 个账户？'],
  resumeManyText: ['Their keys are accepted again.', '其密钥将重新被接受。'],
  resumedMany: [
    { one: '{count} account is active again', other: '{count} accounts are active again' },
    '已恢复 {count} 个账户',
  ],
} as const satisfies Strings;
