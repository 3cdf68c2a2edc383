import type { OutboxEvent } from '../../core/outbox-event.ts';
import { type DigestSubject, digestTexts } from './digest-email.ts';
import type { EmailTemplate, EmailTexts } from './email-template.ts';
import { signInTexts, newLocation, type NewLocation } from './sign-in-emails.ts';

/** The subject of an e-mail. It contains names and figures, but no secret; a one-time link is passed separately. */
export type Subject =
  | { readonly kind: 'invitation'; readonly by: string; readonly to: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'test' }
  | { readonly kind: 'confirm' }
  | { readonly kind: 'known' }
  | { readonly kind: 'address' }
  | NewLocation
  | DigestSubject
  | {
      readonly kind: 'event';
      readonly event: OutboxEvent;
      readonly account: string | undefined;
      readonly currency: string;
    };

/** The texts of an e-mail in both languages. `brand` is the title of the site. */
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
      return signInTexts(subject.kind, brand);
    case 'new-location':
      return newLocation(subject, brand);
    case 'digest':
      return digestTexts(subject, brand);
    case 'event':
      return eventEmail(subject, brand);
    default:
      return subject satisfies never;
  }
}

function invitation({ by, to }: { readonly by: string; readonly to: string }, brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: Invitation to ${to}`,
      lines: [`${by} invites you to join ${to}.`, 'The link works once, for seven days. Anyone who has it can use it.'],
      action: 'Accept invitation',
    },
    zh: {
      title: `${brand}：邀请您加入 ${to}`,
      lines: [`${by} 邀请您加入 ${to}。`, '链接仅可使用一次，七天内有效。任何获得链接的人均可使用。'],
      action: '接受邀请',
    },
  };
}

function reset(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: Reset your sign-in`,
      lines: [
        'An owner of your account or an operator of this gateway created this link, so that you can sign in again.',
        'The link works once, for three hours. If you did not ask for it, do not open it, and tell them.',
      ],
      action: 'Reset sign-in',
    },
    zh: {
      title: `${brand}：重置登录方式`,
      lines: [
        '您的账户所有者或网关运营方为您生成了此链接，以便您重新登录。',
        '链接仅可使用一次，三小时内有效。如果您没有申请重置，请勿打开链接，并告知对方。',
      ],
      action: '重置登录方式',
    },
  };
}

function test(brand: string): EmailTexts {
  return {
    en: {
      title: `${brand}: Test e-mail`,
      lines: ['E-mail works: this message has arrived.'],
      action: 'Open dashboard',
    },
    zh: { title: `${brand}：测试邮件`, lines: ['邮件功能正常：您已收到此邮件。'], action: '打开控制台' },
  };
}

interface EventSubjectText {
  readonly event: OutboxEvent;
  readonly account: string | undefined;
  readonly currency: string;
}

/** Events that are also sent by e-mail. All other events go to webhook endpoints only. */
export const eventTexts = {
  'balance.low': {
    en: [
      'The balance of {account} is low',
      '{balance} {currency} left. The alert threshold is {threshold} {currency}.',
    ],
    zh: ['{account} 的余额不足', '剩余 {balance} {currency}，提醒阈值为 {threshold} {currency}。'],
  },
  'balance.used_up': {
    en: [
      'The balance of {account} is used up',
      '{balance} {currency} left. Requests are rejected because the balance is insufficient. Top up the account.',
    ],
    zh: ['{account} 的余额已用完', '剩余 {balance} {currency}。请求因余额不足被拒绝，请充值。'],
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
  },
  'webhook.switched_off': {
    en: [
      'The webhook endpoint {name} was disabled',
      'No delivery succeeded for three days. Fix the endpoint, then enable it again.',
    ],
    zh: ['Webhook 端点 {name} 已停用', '三天内没有任何消息送达。请修复后重新启用。'],
  },
  'upstream.down': {
    en: ['The upstream {upstream} is down', 'All of its credentials are ejected or disabled: {error}'],
    zh: ['上游 {upstream} 不可用', '其所有凭据均已熔断或停用：{error}'],
  },
  'upstream.up': {
    en: ['The upstream {upstream} has recovered', 'At least one of its credentials works again.'],
    zh: ['上游 {upstream} 已恢复', '至少有一个凭据已恢复正常。'],
  },
  'credential.refused': {
    en: ['The upstream {upstream} rejected a credential', 'Credential {credential} is disabled: {error}'],
    zh: ['上游 {upstream} 拒绝了一个凭据', '凭据 {credential} 已停用：{error}'],
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
  },
} as const;

export type EventTextKind = keyof typeof eventTexts;

export function hasEventText(kind: string): kind is EventTextKind {
  return Object.hasOwn(eventTexts, kind);
}

function eventEmail({ event: { kind, data }, account, currency }: EventSubjectText, brand: string): EmailTexts {
  const texts = eventTexts[hasEventText(kind) ? kind : 'webhook.switched_off'];
  const values: Readonly<Record<string, string | number | null>> = { ...data, account: account ?? brand, currency };
  const filled = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '–').slice(0, valueMax));
  const template = (start: string, [title, line]: readonly [string, string], action: string): EmailTemplate => ({
    title: `${start}${filled(title)}`,
    lines: [filled(line)],
    action,
  });
  return {
    en: template(`${brand}: `, texts.en, 'Open dashboard'),
    zh: template(`${brand}：`, texts.zh, '打开控制台'),
  };
}

/** Names are shorter; error texts of a provider may be longer. */
const valueMax = 300;
