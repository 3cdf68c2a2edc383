import type { Strings } from '../text/strings.ts';

/** Limits on spend, of accounts, members and organisations. */
export const texts = {
  limits: ['Limits', '消费限额'],
  period_day: ['Today', '今日'],
  period_week: ['This week', '本周'],
  period_month: ['This month', '本月'],
  period_total: ['In total', '累计'],
  of: ['{spent} of {amount}', '{spent} / {amount}'],
  left: ['{left} left', '剩余 {left}'],
  reserved: ['{reserved} reserved', '冻结 {reserved}'],
  resets: ['resets {time}', '{time}重置'],
  used: ['{percent} of the limit is spent', '已使用限额的 {percent}'],
  none: ['No limit', '不限额'],
  perDay: ['Per day', '每天'],
  perWeek: ['Per week', '每周'],
  perMonth: ['Per month', '每月'],
  inTotal: ['In total', '累计'],
  help: [
    'In {currency}. All limits hold at once. Requests are refused when one is reached. Empty: no limit.',
    '以 {currency} 计。各项限额同时生效，任一达到后请求将被拒绝。留空则不限额。',
  ],
  notifyAt: ['Notify at', '提醒比例'],
  notifyHelp: [
    'Percent of each limit, separated by commas, such as 50, 80. Empty: no notification.',
    '各限额的百分比，以逗号分隔，如 50, 80。留空则不提醒。',
  ],
  badShare: ['Enter whole percents from 1 to 100', '请填写 1 到 100 的整数百分比'],
  open: ['Open amount', '未结金额'],
  openHint: ['Spent and not paid yet', '已消费、尚未支付'],
  openNone: ['Nothing is open', '没有未结金额'],
  postpaidText: [
    'This account is paid later. Payments and credits settle the open amount.',
    '此账户为后付费。付款和入账会抵扣未结金额。',
  ],
  postpaidLimits: ['Only limits end its requests, not the balance.', '请求仅受限额约束，不受余额约束。'],
  prepaid: ['Prepaid', '预付费'],
  postpaid: ['Postpaid', '后付费'],
  billing: ['Billing', '计费方式'],
  prepaidHelp: ['Requests are refused when the balance is used up.', '余额用完后，请求会被拒绝。'],
  postpaidHelp: ['The balance may be negative, and is paid later.', '余额可为负数，之后再支付。'],
  credit: ['Credit balance', '账户结余'],
} as const satisfies Strings;
