import type { Strings } from '../text/strings.ts';

export const packages = {
  description: [
    'Models that an account may call, its prices, and its share when slots run out.',
    '账户可调用的模型、适用的价格，以及并发名额不足时的份额。',
  ],
  add: ['Add a package', '添加套餐'],
  addTitle: ['New package', '新建套餐'],
  editTitle: ['Package {name}', '套餐 {name}'],
  addAction: ['Add package', '添加套餐'],
  removeTitle: ['Remove the package {name}?', '移除套餐 {name}？'],
  removeText: [
    'It can be removed only when no account uses it. Give its accounts another package first.',
    '仅当没有账户使用时才能移除。请先为相关账户更换套餐。',
  ],
  added: ['Package {name} added', '已添加套餐 {name}'],
  removed: ['Package {name} removed', '已移除套餐 {name}'],
  emptyTitle: ['No packages yet', '还没有套餐'],
  emptyText: [
    'A package sets which models its accounts may call, and their share of a busy upstream.',
    '套餐规定其账户可调用的模型，以及上游繁忙时的份额。',
  ],
  name: ['Name', '名称'],
  nameHelp: ['Accounts refer to this name. It cannot be changed later.', '账户通过此名称引用套餐，之后不可更改。'],
  models: ['Models', '模型'],
  weight: ['Weight', '权重'],
  share: ['When an upstream is full', '上游满载时'],
  weightHelp: [
    'From 1 to 100. It applies only while requests wait for a slot: each account then gets slots in proportion to its weight, however many requests it sends. If an upstream has free slots, it has no effect.',
    '1 到 100。仅在请求排队时生效：各账户按权重比例获得并发名额，与其请求数量无关。上游有空闲名额时不受影响。',
  ],
  weightRange: ['Enter a whole number from 1 to 100', '请填写 1 到 100 的整数'],
  times: ['{times} × the share of {other}', '{other} 份额的 {times} 倍'],
  onlyOne: ['All accounts share equally', '所有账户平均分配'],
  smallest: ['Smallest share', '最小份额'],
  compared: ['Compared with an account of {other}', '与 {other} 套餐的账户相比'],
  slotRatio: ['{own} slots for every {their} of the other', '本套餐每获得 {own} 个并发名额，对方获得 {their} 个'],
  equalSlots: ['same number of slots', '并发名额相同'],
  factor: ['Price factor', '价格系数'],
  factorHelp: [
    'Multiplies the price of every model for the accounts of this package. 1 is the model price, 1.2 is 20 % more, 0.8 is 20 % less.',
    '此套餐的账户按模型价格乘以该系数付费：1 为模型原价，1.2 为加价 20%，0.8 为优惠 20%。',
  ],
  factorExample: [
    'Example: a request that costs {price} at the model price is charged {charge}.',
    '示例：按模型价格费用为 {price} 的请求，实际扣费 {charge}。',
  ],
  accounts: ['Accounts', '账户'],
  showAccounts: ['View accounts', '查看账户'],
} as const satisfies Strings;
