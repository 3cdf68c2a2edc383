import { decimalText, type Nano } from '../../../core/money.ts';
import { inLanguage, type Language, type Params, type Texts } from 'chat-formats/reasons/text.ts';

export const documentTexts = {
  receipt: ['Receipt', '收据'],
  credit_note: ['Credit note', '退款凭证'],
  statement: ['Monthly statement', '月度账单'],
  bill: ['Monthly bill', '组织月度账单'],
  number: ['Number', '编号'],
  issued: ['Issued', '开具日期'],
  paidOn: ['Paid on', '付款日期'],
  paidBy: ['Paid by', '付款方式'],
  receiptOf: ['Receipt', '对应收据'],
  period: ['Period', '账期'],
  seller: ['From', '收款方'],
  customer: ['To', '付款方'],
  taxNumber: ['Tax number {number}', '税号 {number}'],
  description: ['Description', '项目'],
  amount: ['Amount in {currency}', '金额（{currency}）'],
  payment: ['Top-up of the prepaid balance', '预付余额充值'],
  'dispute-won': ['Payment returned after a dispute', '拒付申诉成功，款项退回'],
  refunded: ['Refund of receipt {receipt}', '收据 {receipt} 的退款'],
  disputed: ['Payment of receipt {receipt}, disputed at the bank', '收据 {receipt} 的付款被银行拒付'],
  opening: ['Opening balance', '期初余额'],
  topUps: ['Top-ups', '充值'],
  grants: ['Grants', '赠送'],
  refunds: ['Refunds', '退款'],
  adjustments: ['Adjustments', '调账'],
  reversals: ['Reversed payments', '付款退回'],
  charges: ['Charges', '扣费'],
  otherModels: ['Unknown model', '未知模型'],
  closing: ['Closing balance', '期末余额'],
  totalPaid: ['Total paid', '实付金额'],
  totalReturned: ['Total returned', '退款总额'],
  totalCharged: ['Total charged', '扣费总额'],
  taxIncluded: ['{name} included, {rate} %', '其中含 {name}（{rate}%）'],
  openAmount: ['Open amount', '未结金额'],
  amountDue: [
    'The open amount is the negative balance at the end of the month. It includes earlier months.',
    '未结金额为月末的负余额，包含以前月份的未结部分。',
  ],
  accountOf: ['Account {account}', '账户 {account}'],
  nothingDue: ['Charges were paid from the prepaid balance. Nothing is due.', '扣费已从预付余额中支付，无需另行付款。'],
  page: ['Page {page} of {pages}', '第 {page} 页，共 {pages} 页'],
} as const satisfies Texts;

export function words(language: Language) {
  return (key: keyof typeof documentTexts, values?: Params): string => inLanguage(language, documentTexts[key], values);
}

/** Currencies whose symbol is in the font. Others are printed with their code. */
const hasSymbol: ReadonlySet<string> = new Set(['USD', 'EUR', 'GBP', 'JPY', 'CNY']);

/**
 * Dates and amounts in a language. Amounts have all their digits, so that they add up. With `placesOf`, they have as
 * many places as the longest of those amounts, so that their points are aligned.
 */
export function formatted(language: Language, placesOf: readonly string[] = []) {
  const locale = language === 'zh' ? 'zh-CN' : 'en-US';
  const places = Math.max(...placesOf.map((amount) => amount.split('.')[1]?.length ?? 0));
  const money = (amount: string, currency: string): string =>
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: hasSymbol.has(currency) ? 'narrowSymbol' : 'code',
      maximumFractionDigits: 9,
      ...(places > 2 && { minimumFractionDigits: places }),
    }).format(amount as Intl.StringNumericLiteral);
  return {
    money,
    nano: (amount: Nano, currency: string) => money(decimalText(amount), currency),
    date: (at: number, timeZone: string) =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(new Date(at)),
  };
}
