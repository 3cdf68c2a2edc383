import type { EmailTexts } from './email-template.ts';

interface ModelFigures {
  readonly model: string;
  readonly requests: number;
  readonly spent: string;
}

/** Figures of one digest period. Amounts are decimal text. */
export interface DigestFigures {
  readonly requests: number;
  readonly errors: number;
  readonly spent: string;
  /** Undefined for the whole gateway. */
  readonly balance: string | undefined;
  readonly models: readonly ModelFigures[];
  readonly alerts: readonly { readonly kind: string; readonly count: number }[];
}

export interface DigestSubject {
  readonly kind: 'digest';
  /** Undefined: the whole gateway. */
  readonly account: string | undefined;
  readonly currency: string;
  readonly span: { readonly from: number; readonly to: number; readonly timeZone: string };
  readonly figures: DigestFigures;
}

/** The digest of an account or of the whole gateway, since the previous digest. */
export function digestTexts({ account, currency, span, figures }: DigestSubject, brand: string): EmailTexts {
  const { requests, errors, spent, balance, models, alerts } = figures;
  const [first, last] = [dayAt(span.from, span.timeZone), dayAt(span.to - 1, span.timeZone)];
  const days = first === last ? first : `${first} – ${last}`;
  const whole = (amount: string) => `${amount} ${currency}`;
  const englishModel = (each: ModelFigures) =>
    `${each.model} ${whole(each.spent)} (${each.requests} ${each.requests === 1 ? 'request' : 'requests'})`;
  const chineseModel = (each: ModelFigures) => `${each.model} ${whole(each.spent)}（${each.requests} 次请求）`;
  const alertCounts = (names: Readonly<Record<string, string>>) =>
    alerts.map(({ kind, count }) => `${names[kind] ?? kind} × ${count}`);
  return {
    en: {
      title: `${brand}: Digest of ${account ?? 'the gateway'}, ${days}`,
      lines: [
        `${days}, time zone ${span.timeZone}.`,
        `Requests: ${requests}, of which ${errors} failed. ${account === undefined ? 'Charged' : 'Spent'}: ${whole(spent)}.`,
        ...(balance === undefined ? [] : [`Balance now: ${whole(balance)}.`]),
        ...(models.length === 0 ? [] : [`Top models: ${models.map(englishModel).join(', ')}.`]),
        alerts.length === 0 ? 'No alerts.' : `Alerts: ${alertCounts(english).join(', ')}.`,
      ],
      action: 'Open dashboard',
    },
    zh: {
      title: `${brand}：${account === undefined ? '网关摘要' : `${account} 的摘要`}，${days}`,
      lines: [
        `${days}，时区 ${span.timeZone}。`,
        `请求 ${requests} 次，其中失败 ${errors} 次。${account === undefined ? '扣费' : '消费'} ${whole(spent)}。`,
        ...(balance === undefined ? [] : [`当前余额 ${whole(balance)}。`]),
        ...(models.length === 0 ? [] : [`消费最多的模型：${models.map(chineseModel).join('、')}。`]),
        alerts.length === 0 ? '没有提醒。' : `提醒：${alertCounts(chinese).join('、')}。`,
      ],
      action: '打开控制台',
    },
  };
}

const english = {
  'balance.low': 'low balance',
  'balance.used_up': 'balance used up',
  'key.cap_reached': 'key at its spend cap',
  'key.stores_bodies': 'key stores request bodies',
  'webhook.switched_off': 'webhook endpoint disabled',
  'upstream.down': 'upstream down',
  'upstream.up': 'upstream recovered',
  'credential.refused': 'credential rejected',
  'charge.refused': 'charge could not be booked',
} as const;

const chinese: Readonly<Record<keyof typeof english, string>> = {
  'balance.low': '余额不足',
  'balance.used_up': '余额用完',
  'key.cap_reached': '密钥达到消费上限',
  'key.stores_bodies': '密钥存储请求内容',
  'webhook.switched_off': 'Webhook 端点停用',
  'upstream.down': '上游不可用',
  'upstream.up': '上游恢复',
  'credential.refused': '凭据被拒',
  'charge.refused': '扣费无法记账',
};

/** The date in a time zone, such as `2026-03-01`. */
function dayAt(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
}
