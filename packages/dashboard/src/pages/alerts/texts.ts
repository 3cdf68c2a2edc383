import type { Strings } from '../../text/strings.ts';

/** The groups of the page, and the spend caps of keys. */
export const texts = {
  description: [
    'Low balances, spending limits and the recipients of notices.',
    '余额不足的处理、消费限额与通知接收方式。',
  ],
  runLow: ['Low balance', '余额不足'],
  limits: ['Spending limits', '消费限额'],
  notices: ['Notifications', '通知'],
  capsTitle: ['Spend caps of keys', '密钥消费上限'],
  capsText: [
    'A key that reaches its cap is rejected until the cap resets or you raise it. The whole account can spend its balance and no more.',
    '密钥达到上限后，请求会被拒绝，直到上限重置或被提高。账户的总消费不会超过余额。',
  ],
  key: ['Key', '密钥'],
  used: ['Used', '已用'],
  noCap: ['No cap', '无上限'],
  setCap: ['Set a cap', '设置上限'],
  edit: ['Edit', '编辑'],
  setCapOf: ['Set a cap for {name}', '设置上限：{name}'],
  editOf: ['Edit the cap of {name}', '编辑 {name} 的上限'],
  allKeys: ['All keys', '全部密钥'],
  noKeys: ['No active keys', '没有有效的密钥'],
  noKeysText: ['Create a key to limit its spending.', '创建密钥后即可限制其消费。'],
} as const satisfies Strings;
