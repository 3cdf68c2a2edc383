import type { OutboxEvent } from '../core/outbox-event.ts';
import { type DigestSubject, digestTexts } from './digest-email.ts';
import type { EmailTemplate, EmailTexts } from './email-template.ts';
import { doorTexts, newPlace, type NewPlace } from './sign-in-emails.ts';

/** What a letter is about. Values are names and figures; the only secret is a link that works once. */
export type Subject =
  | { readonly kind: 'invitation'; readonly by: string; readonly to: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'test' }
  | { readonly kind: 'confirm' }
  | { readonly kind: 'known' }
  | { readonly kind: 'address' }
  | NewPlace
  | DigestSubject
  | {
      readonly kind: 'notice';
      readonly notice: OutboxEvent;
      readonly account: string | undefined;
      readonly currency: string;
    };

/** What a letter says in both languages; `brand` is what the gateway calls itself. */
export function emailTemplates(subject: Subject, brand: string): EmailTexts {
  switch (subject.kind) {
    case 'invitation':
      return invitation(subject, brand);
    case 'reset':
      return reset(brand);
    case 'test':
      return test(brand);
    case 'confirm':
    case 'known':
    case 'address':
      return doorTexts(subject.kind, brand);
    case 'new-place':
      return newPlace(subject, brand);
    case 'digest':
      return digestTexts(subject, brand);
    case 'notice':
      return notice(subject, brand);
    default:
      return subject satisfies never;
  }
}

function invitation({ by, to }: { readonly by: string; readonly to: string }, brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: you are invited to ${to}`,
      lines: [`${by} invites you to ${to}.`, 'The link works once, for seven days. Whoever has it can use it.'],
      action: 'Accept the invitation',
    },
    zh: {
      title: `${brand}：邀请您加入 ${to}`,
      lines: [`${by} 邀请您加入 ${to}。`, '链接仅可使用一次，七天内有效。任何持有链接的人都可使用它。'],
      action: '接受邀请',
    },
  };
}

function reset(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: your way back in`,
      lines: [
        'Somebody who looks after your account made this link, so that you can sign in again.',
        'It works once, for three hours. If you did not ask for it, do not open it, and tell them.',
      ],
      action: 'Get back in',
    },
    zh: {
      title: `${brand}：恢复登录`,
      lines: [
        '管理您账户的人员为您生成了此链接，以便您重新登录。',
        '链接仅可使用一次，三小时内有效。如果您没有提出请求，请勿打开并告知对方。',
      ],
      action: '恢复登录',
    },
  };
}

function test(brand: string): EmailTexts {
  return {
    en: { title: `${brand}: a test`, lines: ['Mail works: this letter has arrived.'], action: 'Open the dashboard' },
    zh: { title: `${brand}：测试邮件`, lines: ['邮件功能正常：您已收到此邮件。'], action: '打开控制台' },
  };
}

interface EventSubjectText {
  readonly notice: OutboxEvent;
  readonly account: string | undefined;
  readonly currency: string;
}

/** Kinds of notices there is a letter for; the others are for programs. */
export const lettered = {
  'balance.low': {
    en: ['The balance of {account} is low', '{balance} {currency} is left; you wanted to be told at {threshold}.'],
    zh: ['{account} 的余额不足', '剩余 {balance} {currency}；您设置的提醒值为 {threshold}。'],
  },
  'balance.used_up': {
    en: [
      'The balance of {account} is used up',
      'Requests are refused for want of money. {balance} {currency} is left.',
    ],
    zh: ['{account} 的余额已用完', '请求因余额不足被拒绝。剩余 {balance} {currency}。'],
  },
  'key.cap_reached': {
    en: ['A key of {account} has reached its cap', 'The key {name} ({display}) may spend {cap} {currency}, and has.'],
    zh: ['{account} 的一个密钥已达上限', '密钥 {name}（{display}）的上限为 {cap} {currency}，现已用完。'],
  },
  'key.stores_bodies': {
    en: [
      'A key of {account} has its requests stored',
      'From now on the bodies of requests with the key {name} ({display}), and of their answers, are stored, encrypted and for a short time. Whoever may change keys can switch it off, and delete what is stored.',
    ],
    zh: [
      '{account} 的一个密钥开始存储请求内容',
      '从现在起，使用密钥 {name}（{display}）的请求及其回答的正文会加密存储一小段时间。可以更改密钥的人都可以关闭此功能，并删除已存储的内容。',
    ],
  },
  'webhook.switched_off': {
    en: ['A webhook was switched off', 'Nothing arrived at {name} for three days. Switch it on again when it works.'],
    zh: ['一个 Webhook 已停用', '三天内未能向 {name} 送达任何消息。修复后请重新启用。'],
  },
  'upstream.down': {
    en: ['The upstream {upstream} is down', 'All of its credentials are out of use: {error}'],
    zh: ['上游 {upstream} 不可用', '其所有凭据均已停用：{error}'],
  },
  'upstream.up': {
    en: ['The upstream {upstream} is back', 'It answers again.'],
    zh: ['上游 {upstream} 已恢复', '其已恢复响应。'],
  },
  'credential.refused': {
    en: ['{upstream} refuses our credential', 'Credential {credential} is out of use: {error}'],
    zh: ['{upstream} 拒绝了我们的凭据', '凭据 {credential} 已停用：{error}'],
  },
  'charge.refused': {
    en: [
      'A charge cannot be booked',
      'The store refuses the charge of request {request_id} (account {account_id}, {cost} {currency}): {error} It is kept and tried again every minute. Remove what stands in its way; the log names every such charge.',
    ],
    zh: [
      '一笔扣费无法入账',
      '存储拒绝了请求 {request_id} 的扣费（账户 {account_id}，{cost} {currency}）：{error} 该扣费已保留，每分钟重试一次。请排除原因；日志列出所有此类扣费。',
    ],
  },
} as const;

export type LetteredKind = keyof typeof lettered;

export function isLettered(kind: string): kind is LetteredKind {
  return Object.hasOwn(lettered, kind);
}

function notice({ notice: { kind, data }, account, currency }: EventSubjectText, brand: string): EmailTexts {
  const texts = lettered[isLettered(kind) ? kind : 'webhook.switched_off'];
  const values: Readonly<Record<string, string | number | null>> = { ...data, account: account ?? brand, currency };
  const filled = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '–').slice(0, valueMax));
  const said = ([title, line]: readonly [string, string], action: string): EmailTemplate => ({
    title: `${brand}: ${filled(title)}`,
    lines: [filled(line)],
    action,
  });
  return { en: said(texts.en, 'Open the dashboard'), zh: said(texts.zh, '打开控制台') };
}

/** No name is longer; what a provider said may be. */
const valueMax = 300;
