import type { Strings } from '../text/strings.ts';

export const packages = {
  description: [
    'Which models an account may call, and its share when slots run out.',
    '账户可调用的模型，以及资源紧张时的份额。',
  ],
  add: ['Add a package', '添加套餐'],
  addTitle: ['New package', '新套餐'],
  editTitle: ['Package {name}', '套餐 {name}'],
  addAction: ['Add package', '添加套餐'],
  removeTitle: ['Remove the package {name}?', '移除套餐 {name}？'],
  removeText: [
    'It can only be removed when no account has it. Give its accounts another package first.',
    '仅当没有账户使用时才能移除。请先为相关账户更换套餐。',
  ],
  added: ['Package {name} added', '已添加套餐 {name}'],
  removed: ['Package {name} removed', '已移除套餐 {name}'],
  emptyTitle: ['No package yet', '还没有套餐'],
  emptyText: [
    'A package says which models its accounts may call and how large their share of a busy upstream is.',
    '套餐规定其账户可调用的模型，以及繁忙上游中的份额。',
  ],
  name: ['Name', '名称'],
  nameHelp: ['What accounts name as their package. It cannot be changed later.', '账户引用的套餐名称，之后不可更改。'],
  models: ['Models', '模型'],
  weight: ['Weight', '权重'],
  share: ['When an upstream is full', '上游满载时'],
  weightHelp: [
    'From 1 to 100. It counts only while requests wait for a slot: each account then gets turns in proportion to its weight, however many requests it sends. On an upstream with free slots nothing changes.',
    '1 到 100。仅在请求排队等待时生效：各账户按权重比例轮流获得名额，与其请求数量无关。上游有空闲时不受影响。',
  ],
  weightRange: ['A whole number from 1 to 100', '1 到 100 的整数'],
  times: ['{times} × the share of {other}', '{other} 份额的 {times} 倍'],
  onlyOne: ['All accounts share equally', '所有账户平均分配'],
  smallest: ['The smallest share', '最小份额'],
  compared: ['Beside an account of {other}', '与 {other} 套餐的账户相比'],
  turns: ['{own} turns to its {their}', '本套餐 {own} 次，对方 {their} 次'],
  equalTurns: ['turn and turn about', '轮流各一次'],
  accounts: ['Accounts', '账户'],
  showAccounts: ['Show its accounts', '查看账户'],
} as const satisfies Strings;
