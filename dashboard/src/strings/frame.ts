import type { Strings } from '../text/strings.ts';

/** The frame around all pages. */
export const frame = {
  skip: ['Skip to content', '跳到正文'],
  navigation: ['Main navigation', '主导航'],
  openMenu: ['Open navigation', '打开导航'],
  closeMenu: ['Close navigation', '关闭导航'],
  operatorPart: ['Operator', '运营'],
  settingsPart: ['Settings', '设置'],
  account: ['Account', '账户'],
  switchAccount: ['Switch account', '切换账户'],
  userMenu: ['Your menu', '用户菜单'],
  signOut: ['Sign out', '退出登录'],
  language: ['Language', '语言'],
  scheme: ['Appearance', '外观'],
  schemeLight: ['Light', '浅色'],
  schemeDark: ['Dark', '深色'],
  schemeAuto: ['As the device', '跟随设备'],
  viewingAs: [
    'You see {name} as its owner does. Nothing can be changed here.',
    '正以所有者的视角查看 {name}，此处不可修改。',
  ],
  stopViewing: ['Stop viewing', '停止查看'],
  noAccountTitle: ['You belong to no account yet', '您还不属于任何账户'],
  noAccountText: ['Ask the owner of an account for an invitation.', '请向账户所有者索取邀请。'],
  noAccountOperatorText: [
    'Ask the owner of an account for an invitation, or make an account under Operator → Accounts.',
    '请向账户所有者索取邀请，或在“运营 → 账户”中创建一个账户。',
  ],
  lowBalance: [
    'The balance is {balance}: no more than the {line} at which you want to be told.',
    '余额为 {balance}，已不高于您设置的提醒金额 {line}。',
  ],
  lowBalanceTopUp: ['Top up', '去充值'],
  suspended: [
    '{name} is suspended: all its requests are refused, and its keys work again when it is resumed.',
    '账户 {name} 已暂停：所有请求都会被拒绝，恢复后密钥可继续使用。',
  ],
  suspendedAsk: ['Write to {email}.', '请联系 {email}。'],
  suspendedAskSomebody: ['Ask whoever runs this gateway.', '请联系网关的运营方。'],
  docs: ['API documentation', 'API 文档'],
  notFoundTitle: ['There is no such page', '页面不存在'],
  notFoundText: ['The address may be mistyped, or the page has moved.', '地址可能有误，或页面已移动。'],
  goHome: ['Go to the overview', '前往概览'],
  forbiddenTitle: ['This page is for operators', '此页面仅限运营人员'],
  forbiddenText: ['Ask an owner of this gateway for the operator role.', '请向网关所有者申请运营角色。'],
  version: ['Version {version}', '版本 {version}'],
} as const satisfies Strings;
