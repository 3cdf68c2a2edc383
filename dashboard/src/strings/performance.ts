import type { Strings } from '../text/strings.ts';

export const performance = {
  title: ['Speed and uptime', '速度与可用性'],
  week: ['Last 7 days', '近 7 天'],
  span: ['Span', '时段'],
  day: ['24 hours', '24 小时'],
  days7: ['7 days', '7 天'],
  days30: ['30 days', '30 天'],
  firstToken: ['First token', '首个 Token'],
  speed: ['Speed', '速度'],
  perSecond: ['{count} tok/s', '{count} Token/秒'],
  uptime: ['Uptime', '可用性'],
  help: [
    'Averages over the requests of everybody here. Uptime is the share that was answered, of what the provider could have answered. There is no figure where there were too few requests.',
    '按本网关全部请求平均。可用性为提供方本应应答的请求中得到应答的比例。请求过少时不显示数值。',
  ],
  routesHelp: [
    'Over the last 7 days: single calls of the provider under this name, whichever model led there.',
    '近 7 天：以此名称对提供方的单次调用，不论由哪个模型发起。',
  ],
  from: [{ one: 'from {count} request', other: 'from {count} requests' }, '基于 {count} 个请求'],
  nothing: ['Nothing was measured yet.', '尚无测量数据。'],
} as const satisfies Strings;
