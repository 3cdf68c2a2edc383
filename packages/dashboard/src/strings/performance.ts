import type { Strings } from '../text/strings.ts';

export const performance = {
  title: ['Speed and uptime', '速度与可用性'],
  week: ['Last 7 days', '近 7 天'],
  span: ['Time range', '时间范围'],
  day: ['24 hours', '24 小时'],
  days7: ['7 days', '7 天'],
  days30: ['30 days', '30 天'],
  firstToken: ['First token', '首 Token 延迟'],
  tokensPerSecond: ['Tokens/s', 'Token/秒'],
  requests: ['Requests', '请求数'],
  perSecond: ['{count} tokens/s', '{count} Token/秒'],
  uptime: ['Uptime', '可用性'],
  help: [
    'All requests at this gateway. Half of them are at or below p50, 95% at or below p95. Uptime is the share of valid requests that got a response. With too few requests, no figure is shown.',
    '统计本网关的全部请求：一半不超过 p50，95% 不超过 p95。可用性为有效请求中得到响应的比例。请求过少时不显示数值。',
  ],
  routesHelp: [
    'Last 7 days: all calls to this model at the provider, whichever gateway model they came from.',
    '近 7 天：对该上游模型的全部调用，不论来自网关中的哪个模型。',
  ],
  from: [{ one: 'from {count} request', other: 'from {count} requests' }, '基于 {count} 个请求'],
  nothing: ['Not enough data yet', '数据不足'],
} as const satisfies Strings;
