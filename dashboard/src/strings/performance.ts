import type { Strings } from '../text/strings.ts';

export const performance = {
  title: ['Speed and uptime', '速度与可用性'],
  week: ['Last 7 days', '近 7 天'],
  span: ['Period', '时段'],
  day: ['24 hours', '24 小时'],
  days7: ['7 days', '7 天'],
  days30: ['30 days', '30 天'],
  firstToken: ['First token', '首 Token 延迟'],
  speed: ['Speed', '速度'],
  perSecond: ['{count} tok/s', '{count} Token/秒'],
  uptime: ['Uptime', '可用性'],
  help: [
    'Averages over all requests at this gateway. Uptime is the share of requests answered, of those that the provider could have answered. With too few requests, no figure is shown.',
    '按本网关全部请求平均。可用性为上游可响应的请求中实际得到响应的比例。请求过少时不显示数值。',
  ],
  routesHelp: [
    'Last 7 days: single calls to the provider under this name, from any model.',
    '近 7 天：以此名称对上游的单次调用，不论来自哪个模型。',
  ],
  from: [{ one: 'from {count} request', other: 'from {count} requests' }, '基于 {count} 个请求'],
  nothing: ['No measurements yet.', '暂无测量数据。'],
} as const satisfies Strings;
