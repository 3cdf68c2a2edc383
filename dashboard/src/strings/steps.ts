import type { Strings } from '../text/strings.ts';

export const steps = {
  title: ['First steps', '入门步骤'],
  done: ['{done} of {all} done', '已完成 {done} / {all}'],
  putAway: ['Put the first steps away', '收起入门步骤'],
  isDone: ['Done', '已完成'],
  isOpen: ['To do', '待完成'],
  key: ['Make a key', '创建密钥'],
  keyText: ['Programs call the gateway with it.', '程序用它调用网关。'],
  ask: ['Make a request', '发出请求'],
  askText: ['From your program, or in the playground.', '从您的程序或在试验场中发出。'],
  credit: ['Have some credit', '获得余额'],
  creditText: ['Models that cost something need it.', '付费模型需要余额。'],
  safe: ['Turn on the second step', '启用两步验证'],
  safeText: ['A password alone can be guessed or taken.', '仅凭密码可能被猜到或窃取。'],
  upstream: ['Add a provider', '添加上游'],
  upstreamText: ['One that answers requests; it is tested at once.', '用于应答请求，添加后会立即测试。'],
  model: ['Offer a model', '提供模型'],
  modelText: ['With its price, from the list of the provider.', '从上游列表选择并设置价格。'],
  account: ['Make an account', '创建账户'],
  accountText: ['Accounts hold keys and money.', '账户持有密钥与余额。'],
} as const satisfies Strings;
