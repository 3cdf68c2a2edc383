import type { Strings } from '../text/strings.ts';

export const live = {
  description: ['What runs and waits at this moment.', '此刻正在运行与等待的请求。'],
  updating: ['Updating', '实时更新中'],
  paused: ['Paused', '已暂停'],
  pause: ['Pause', '暂停'],
  resume: ['Resume', '继续'],
  running: ['In flight', '进行中'],
  waiting: ['Waiting', '等待中'],
  requestRate: ['Requests a second', '每秒请求数'],
  tokenRate: ['Tokens out a second', '每秒输出令牌'],
  promptRate: ['{rate} in a second', '每秒输入 {rate}'],
  errorRate: ['{rate} errors a second', '每秒 {rate} 个错误'],
  noErrors: ['No errors in the last minute', '最近一分钟无错误'],
  nobodyWaits: ['Nobody waits', '无人等待'],
  retries: [{ one: '{count} further try', other: '{count} further tries' }, '{count} 次重试'],
  byAccount: ['By account', '按账户'],
  byUpstream: ['By upstream', '按上游'],
  accountsAt: ['Accounts at {upstream}', '{upstream} 上的账户'],
  load: ['{running} in flight · {waiting} waiting', '{running} 进行中 · {waiting} 等待'],
  moreAccounts: [{ one: 'and {count} more account', other: 'and {count} more accounts' }, '另有 {count} 个账户'],
  idle: ['All quiet. Requests show up here the moment they come in.', '一切平静。请求到达时会立即显示在这里。'],
  fairness: ['Fairness', '公平度'],
  fairnessHelp: [
    'How evenly turns are shared between the accounts that wait. 100% is even; there is nothing to compare until two accounts wait.',
    '等待中的账户之间轮转的均匀程度。100% 为完全均匀；少于两个账户等待时无从比较。',
  ],
  reasonPaused: [
    'Waiting: the provider asked to be left alone until {time}.',
    '等待原因：上游要求暂停请求，直到 {time}。',
  ],
  reasonOut: [
    'Waiting: no credential of this upstream works at the moment. It is tried again by itself.',
    '等待原因：此上游目前没有可用的凭据，网关会自动重试。',
  ],
  reasonFull: [
    {
      one: 'Waiting: the only slot is taken. Accounts take turns.',
      other: 'Waiting: all {count} slots are taken. Accounts take turns.',
    },
    '等待原因：{count} 个并发位均已占用，各账户轮流获得。',
  ],
  reasonTurn: ['Waiting: the next turn comes at once.', '等待原因：即将轮到。'],
  noUpstreamsTitle: ['No upstream yet', '还没有上游'],
  noUpstreamsText: [
    'Requests run at upstreams. Add the first one, and this page shows what happens there.',
    '请求由上游处理。添加第一个上游后，此页面会显示其运行情况。',
  ],
  toUpstreams: ['Go to upstreams', '前往上游'],
} as const satisfies Strings;
