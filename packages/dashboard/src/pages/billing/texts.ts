import type { Strings } from '../../text/strings.ts';

/** The saved card and the automatic top-up. They load with the pages that show them. */
export const texts = {
  cardTitle: ['Saved card', '已保存的银行卡'],
  cardText: [
    'For automatic top-ups. The payment provider stores the card; this gateway never receives its number.',
    '用于自动充值。银行卡由支付服务商保管，网关不会接触卡号。',
  ],
  noCard: ['No card is saved.', '尚未保存银行卡。'],
  card: ['{brand} ending in {last4}', '{brand}，尾号 {last4}'],
  expires: ['Expires {month}/{year}', '有效期至 {year} 年 {month} 月'],
  expired: ['Expired {month}/{year}', '已于 {year} 年 {month} 月过期'],
  save: ['Save a card', '保存银行卡'],
  replace: ['Replace', '更换'],
  replaceCard: ['Replace the card', '更换银行卡'],
  remove: ['Remove', '移除'],
  removeTitle: ['Remove this card?', '移除这张银行卡？'],
  removeText: [
    'It is not charged again. Automatic top-ups stop until you save another card.',
    '将不再从此卡扣款。在您保存其他银行卡之前，自动充值会停止。',
  ],
  removed: ['The card is removed.', '银行卡已移除。'],
  saved: ['The card is saved.', '银行卡已保存。'],
  saving: [
    'The card is being saved. It appears here when the payment provider confirms it.',
    '正在保存银行卡，支付服务商确认后会显示在这里。',
  ],
  ownersOnly: ['Only owners of the account can change it.', '只有账户所有者可以更改。'],

  title: ['Automatic top-up', '自动充值'],
  text: [
    'Charges the saved card when the spendable balance falls below an amount.',
    '可用余额低于设定金额时，自动从已保存的银行卡扣款。',
  ],
  threshold: ['When the spendable balance is below', '可用余额低于'],
  amount: ['Charge', '每次充值'],
  monthlyMax: ['At most in a month', '每月上限'],
  amountLimits: ['From {least} to {most}', '{least} 至 {most}'],
  monthlyHelp: ['Calendar month in UTC', '按 UTC 自然月计算'],
  turnOn: ['Turn on', '开启'],
  turnOff: ['Turn off', '关闭'],
  turnOffTitle: ['Turn off the automatic top-up?', '关闭自动充值？'],
  turnOffText: [
    'The card is not charged any more. When the balance is used up, requests are rejected.',
    '将不再从银行卡扣款。余额用完后，请求会被拒绝。',
  ],
  turnedOff: ['The automatic top-up is off.', '自动充值已关闭。'],
  needsCard: ['Save a card first. Then choose the amounts.', '请先保存银行卡，再设置金额。'],
  off: ['Automatic top-up is off.', '自动充值已关闭。'],
  setUp: ['Set it up', '前往设置'],
  change: ['Change', '更改'],
  on: [
    'Charges {amount} when the spendable balance is below {threshold}.',
    '可用余额低于 {threshold} 时自动充值 {amount}。',
  ],
  charged: ['{charged} of at most {max} charged this month.', '本月已自动充值 {charged}，上限 {max}。'],
  maxReached: [
    'The monthly maximum leaves no room for another charge. It starts again on {time}.',
    '本月剩余额度不足以再次充值，将于 {time} 重新计算。',
  ],
  inFlight: ['A charge of {amount} is in progress.', '正在扣款 {amount}。'],
  stopped: ['Automatic top-ups have stopped: no card is saved.', '自动充值已停止：没有已保存的银行卡。'],

  pausedTitle: ['Automatic top-up is paused', '自动充值已暂停'],
  pause_declined: [
    'The bank declined the charge of {time}. Ask your bank, or save another card.',
    '银行拒绝了 {time} 的扣款。请咨询发卡银行，或更换银行卡。',
  ],
  pause_authentication_required: [
    'The bank wanted you to confirm the charge of {time}. Top up online once, or save a card that allows automatic charges.',
    '银行要求您验证 {time} 的扣款。请先在线充值一次，或更换支持自动扣款的银行卡。',
  ],
  pause_expired_card: [
    'The card had expired when it was charged on {time}. Save another card.',
    '{time} 扣款时银行卡已过期。请更换银行卡。',
  ],
  pause_insufficient_funds: [
    'The card had insufficient funds on {time}. Add money to it and resume, or save another card.',
    '{time} 扣款时银行卡余额不足。请存入资金后恢复，或更换银行卡。',
  ],
  pause_refused: [
    'The payment provider refused the charge of {time}. Save the card again. If that does not help, contact the gateway operator.',
    '支付服务商拒绝了 {time} 的扣款。请重新保存银行卡；如仍失败，请联系网关运营方。',
  ],
  pause_unreachable: [
    'The payment provider did not answer for 20 hours, until {time}. If it reports the payment later, it is credited. Check your bank statement, then resume.',
    '截至 {time}，支付服务商已 20 小时未响应。如之后确认付款成功，仍会入账。请核对银行流水后再恢复。',
  ],
  resume: ['Resume', '恢复'],
  resumed: ['The automatic top-up is on again.', '自动充值已恢复。'],
} as const satisfies Strings;
