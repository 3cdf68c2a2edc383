import type { Language } from 'chat-formats/reasons/text.ts';
import type { EventKind } from '../../../core/outbox-event.ts';

type InEachLanguage<Text> = Readonly<Record<Language, Text>>;

/** The title of an e-mail, then its paragraphs. `{name}` stands for a value; a paragraph without its value is left out. */
export interface EmailTemplate extends InEachLanguage<readonly [title: string, ...paragraphs: string[]]> {
  /** Label of the link. Default: `openDashboard`. */
  readonly action?: InEachLanguage<string>;
  /** Name of the event in a digest. */
  readonly alert?: InEachLanguage<string>;
}

export const openDashboard: InEachLanguage<string> = { en: 'Open dashboard', zh: '打开控制台' };
const confirmAddress: InEachLanguage<string> = { en: 'Confirm e-mail address', zh: '确认邮箱' };

/** Every e-mail of the gateway. Events without a row go to webhook endpoints only. */
export const templates = {
  invitation: {
    en: [
      'Invitation to {to}',
      '{by} invites you to join {to}.',
      'The link works once, for seven days. Anyone who has it can use it.',
    ],
    zh: ['邀请您加入 {to}', '{by} 邀请您加入 {to}。', '链接仅可使用一次，七天内有效。任何获得链接的人均可使用。'],
    action: { en: 'Accept invitation', zh: '接受邀请' },
  },
  reset: {
    en: [
      'Reset your sign-in',
      'An owner of your account or an operator of this gateway created this link, so that you can sign in again.',
      'The link works once, for three hours. If you did not ask for it, do not open it, and tell them.',
    ],
    zh: [
      '重置登录方式',
      '您的账户所有者或网关运营方为您生成了此链接，以便您重新登录。',
      '链接仅可使用一次，三小时内有效。如果您没有申请重置，请勿打开链接，并告知对方。',
    ],
    action: { en: 'Reset sign-in', zh: '重置登录方式' },
  },
  forgot: {
    en: [
      'Set a new password',
      'A new password was requested for your user. Open the link to set it. It ends all your sessions.',
      'The link works once, for three hours. If you did not request it, ignore this e-mail: your password stays the same.',
    ],
    zh: [
      '设置新密码',
      '有人为您的用户申请了新密码。打开链接即可设置新密码，您的所有会话将随之结束。',
      '链接仅可使用一次，三小时内有效。如果这不是您的操作，请忽略此邮件，您的密码不会改变。',
    ],
    action: { en: 'Set a new password', zh: '设置新密码' },
  },
  test: {
    en: ['Test e-mail', 'E-mail works: this message has arrived.'],
    zh: ['测试邮件', '邮件功能正常：您已收到此邮件。'],
  },
  /** Sign-up with a new address. */
  confirm: {
    en: [
      'Confirm your e-mail address',
      'This e-mail address was used to sign up. If it was you, open the link and enter the password you chose. Your account is then created.',
      'The link works once, for 24 hours. If it was not you, ignore this e-mail: no account is created without your confirmation.',
    ],
    zh: [
      '请确认您的邮箱',
      '有人使用此邮箱注册。如果是您本人，请打开链接并输入您设置的密码，随后即会创建账户。',
      '链接仅可使用一次，24 小时内有效。如果不是您本人，请忽略此邮件：未经您确认，不会创建任何账户。',
    ],
    action: confirmAddress,
  },
  /** Sign-up with the address of a user. */
  known: {
    en: [
      'You already have an account',
      'This e-mail address was used to sign up, but it already has an account. Nothing has changed.',
      'If it was you, sign in with your existing password. If you forgot it, ask an owner of your account or the operator of this gateway for a reset link.',
    ],
    zh: [
      '您已有账户',
      '有人使用此邮箱注册，但该邮箱已有账户。账户没有任何变化。',
      '如果是您本人，请使用现有密码登录。如果忘记了密码，请向账户所有者或网关运营方索取重置链接。',
    ],
    action: { en: 'Sign in', zh: '登录' },
  },
  /** A user confirms the unverified address of their profile. */
  address: {
    en: [
      'Is this your e-mail address?',
      'A user who signs in with this e-mail address asked to confirm it. If it was you, open the link in the browser in which you are signed in.',
      'The link works for 24 hours. If it was not you, ignore this e-mail: the link works only for the user who signs in with this address.',
    ],
    zh: [
      '这是您的邮箱吗？',
      '使用此邮箱登录的用户请求确认该邮箱。如果是您本人，请在已登录的浏览器中打开链接。',
      '链接 24 小时内有效。如果不是您本人，请忽略此邮件：链接仅对使用此邮箱登录的用户有效。',
    ],
    action: confirmAddress,
  },
  'new-location': {
    en: [
      'Sign-in from a new location',
      'Your e-mail address was used to sign in on {time}, from {address}, with {browser} on {system}.',
      'If it was you, no action is needed. If it was not you, open the link, end all other sessions and change your password.',
      'If you can no longer sign in, ask an owner of your account or the operator of this gateway for a reset link. It ends every session.',
    ],
    zh: [
      '新地点登录提醒',
      '您的邮箱于 {time} 登录，IP 地址：{address}，设备：{system} 上的 {browser}。',
      '如果是您本人，无需任何操作。如果不是您本人，请打开链接，结束其他全部会话并更改密码。',
      '如果您已无法登录，请向账户所有者或网关运营方索取重置链接。使用该链接会结束所有会话。',
    ],
    action: { en: 'Review your sessions', zh: '查看登录会话' },
  },
  'account-digest': {
    en: [
      'Digest of {account}, {days}',
      '{days}, time zone {timeZone}.',
      'Requests: {requests}, of which {errors} failed. Spent: {spent} {currency}.',
      'Balance now: {balance} {currency}.',
      'Top models: {models}.',
      '{alerts}',
    ],
    zh: [
      '{account} 的摘要，{days}',
      '{days}，时区 {timeZone}。',
      '请求 {requests} 次，其中失败 {errors} 次。消费 {spent} {currency}。',
      '当前余额 {balance} {currency}。',
      '消费最多的模型：{models}。',
      '{alerts}',
    ],
  },
  'gateway-digest': {
    en: [
      'Digest of the gateway, {days}',
      '{days}, time zone {timeZone}.',
      'Requests: {requests}, of which {errors} failed. Charged: {spent} {currency}.',
      'Top models: {models}.',
      '{alerts}',
    ],
    zh: [
      '网关摘要，{days}',
      '{days}，时区 {timeZone}。',
      '请求 {requests} 次，其中失败 {errors} 次。扣费 {spent} {currency}。',
      '消费最多的模型：{models}。',
      '{alerts}',
    ],
  },
  'balance.low': {
    en: [
      'The balance of {account} is low',
      '{balance} {currency} left. The alert threshold is {threshold} {currency}.',
    ],
    zh: ['{account} 的余额不足', '剩余 {balance} {currency}，提醒阈值为 {threshold} {currency}。'],
    alert: { en: 'low balance', zh: '余额不足' },
  },
  'balance.used_up': {
    en: [
      'The balance of {account} is used up',
      '{balance} {currency} left. Requests are rejected because the balance is insufficient. Top up the account.',
    ],
    zh: ['{account} 的余额已用完', '剩余 {balance} {currency}。请求因余额不足被拒绝，请充值。'],
    alert: { en: 'balance used up', zh: '余额用完' },
  },
  'top_up.paused': {
    en: [
      'The automatic top-up of {account} is paused',
      'The charge of {amount} {currency} to the card ending in {last4} failed. {reason}',
      'No more charges are made until you save another card or resume the automatic top-up on the billing page.',
    ],
    zh: [
      '{account} 的自动充值已暂停',
      '向尾号 {last4} 的银行卡扣款 {amount} {currency} 失败。{reason}',
      '在账单页面更换银行卡或恢复自动充值之前，不会再次扣款。',
    ],
    alert: { en: 'automatic top-up paused', zh: '自动充值暂停' },
  },
  'key.cap_reached': {
    en: [
      'A key of {account} has reached its spend cap',
      'The key {name} ({display}) has used up its spend cap of {cap} {currency}. Raise the cap, or wait until it resets.',
    ],
    zh: [
      '{account} 的一个密钥已达消费上限',
      '密钥 {name}（{display}）的消费上限 {cap} {currency} 已用完。请提高上限，或等待上限重置。',
    ],
    alert: { en: 'key at its spend cap', zh: '密钥达到消费上限' },
  },
  'limit.threshold': {
    en: [
      '{name} has spent {percent} % of a limit',
      '{spent} of {limit} {currency} is spent. Requests above the limit will be rejected until it resets or is raised.',
    ],
    zh: [
      '{name} 的消费已达限额的 {percent}%',
      '限额 {limit} {currency}，已消费 {spent}。超出限额的请求会被拒绝，直至限额重置或提高。',
    ],
    alert: { en: 'spend limit threshold', zh: '消费达到提醒阈值' },
  },
  'limit.reached': {
    en: [
      'A spend limit of {name} is reached',
      '{spent} of {limit} {currency} is spent. Requests whose maximum cost is above the rest are rejected until the limit resets or is raised.',
    ],
    zh: [
      '{name} 已达消费限额',
      '限额 {limit} {currency}，已消费 {spent}。最高费用超出剩余额度的请求会被拒绝，直至限额重置或提高。',
    ],
    alert: { en: 'spend limit reached', zh: '达到消费限额' },
  },
  'key.stores_bodies': {
    en: [
      'A key of {account} now stores request bodies',
      'The bodies of requests with the key {name} ({display}), and of their responses, are now stored, encrypted and for a short time. Every user who can change keys can turn this off and delete the stored bodies.',
    ],
    zh: [
      '{account} 的一个密钥开始存储请求内容',
      '从现在起，使用密钥 {name}（{display}）的请求及其响应的内容会加密存储一段较短的时间。有权更改密钥的用户均可关闭此功能，并删除已存储的内容。',
    ],
    alert: { en: 'key stores request bodies', zh: '密钥存储请求内容' },
  },
  'webhook.switched_off': {
    en: [
      'The webhook endpoint {name} was disabled',
      'No delivery succeeded for three days. Fix the endpoint, then enable it again.',
    ],
    zh: ['Webhook 端点 {name} 已停用', '三天内没有任何消息送达。请修复后重新启用。'],
    alert: { en: 'webhook endpoint disabled', zh: 'Webhook 端点停用' },
  },
  'upstream.down': {
    en: ['The upstream {upstream} is down', 'All of its credentials are ejected or disabled: {error}'],
    zh: ['上游 {upstream} 不可用', '其所有凭据均已熔断或停用：{error}'],
    alert: { en: 'upstream down', zh: '上游不可用' },
  },
  'upstream.up': {
    en: ['The upstream {upstream} has recovered', 'At least one of its credentials works again.'],
    zh: ['上游 {upstream} 已恢复', '至少有一个凭据已恢复正常。'],
    alert: { en: 'upstream recovered', zh: '上游恢复' },
  },
  'credential.refused': {
    en: ['The upstream {upstream} rejected a credential', 'Credential {credential} is disabled: {error}'],
    zh: ['上游 {upstream} 拒绝了一个凭据', '凭据 {credential} 已停用：{error}'],
    alert: { en: 'credential rejected', zh: '凭据被拒' },
  },
  'charge.refused': {
    en: [
      'A charge cannot be booked',
      'The store rejects the charge of request {request_id} (account {account_id}, {cost} {currency}): {error} The gateway keeps the charge and retries it every minute. Fix the cause; the log names every such charge.',
    ],
    zh: [
      '一笔扣费无法记账',
      '存储拒绝了请求 {request_id} 的扣费（账户 {account_id}，{cost} {currency}）：{error} 网关会保留该扣费，并每分钟重试一次。请排除故障原因；日志会列出所有此类扣费。',
    ],
    alert: { en: 'charge could not be booked', zh: '扣费无法记账' },
  },
} as const satisfies Readonly<Record<string, EmailTemplate>>;

export type EmailedEvent = Extract<keyof typeof templates, EventKind>;

export function isEmailed(kind: EventKind): kind is EmailedEvent {
  return Object.hasOwn(templates, kind);
}

/** Stands for a value of `new-location`. */
export const unknownAddress: InEachLanguage<string> = { en: 'an unknown IP address', zh: '未知' };

/** The reasons of `top_up.paused` as sentences. */
export const pauseReasons: InEachLanguage<Readonly<Record<string, string>>> = {
  en: {
    declined: 'The bank declined it.',
    authentication_required: 'The bank requires you to confirm each payment.',
    expired_card: 'The card has expired.',
    insufficient_funds: 'The card has insufficient funds.',
    refused: 'The payment provider refused it.',
    unreachable: 'The payment provider did not answer for 20 hours. If it reports the payment later, it is credited.',
  },
  zh: {
    declined: '银行拒绝了扣款。',
    authentication_required: '银行要求每次付款都由您验证。',
    expired_card: '银行卡已过期。',
    insufficient_funds: '银行卡余额不足。',
    refused: '支付服务商拒绝了扣款。',
    unreachable: '支付服务商 20 小时未响应。如果之后确认付款成功，仍会入账。',
  },
};

/** The parts of a digest that depend on its figures. */
export const digestPhrases = {
  en: {
    model: (name: string, spent: string, requests: number) =>
      `${name} ${spent} (${requests} ${requests === 1 ? 'request' : 'requests'})`,
    alerts: (list: string) => (list === '' ? 'No alerts.' : `Alerts: ${list}.`),
    separator: ', ',
  },
  zh: {
    model: (name: string, spent: string, requests: number) => `${name} ${spent}（${requests} 次请求）`,
    alerts: (list: string) => (list === '' ? '没有提醒。' : `提醒：${list}。`),
    separator: '、',
  },
} as const;
