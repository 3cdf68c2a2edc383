import type { Strings } from '../text/strings.ts';

export const steps = {
  title: ['First steps', '快速入门'],
  done: ['{done} of {all} done', '已完成 {done} / {all}'],
  hide: ['Hide the first steps', '收起快速入门'],
  isDone: ['Done', '已完成'],
  isOpen: ['To do', '待完成'],
  key: ['Create a key', '创建密钥'],
  keyText: ['Programs use it to call the gateway.', '程序使用密钥调用网关。'],
  sendRequest: ['Send a request', '发送请求'],
  sendRequestText: ['From your program, or in the playground.', '通过您的程序或在体验中心发送。'],
  credit: ['Top up the balance', '充值'],
  creditText: ['Paid models need a positive balance.', '使用付费模型需要有余额。'],
  twoFactor: ['Turn on two-factor authentication', '启用两步验证'],
  twoFactorText: ['A password alone can be guessed or stolen.', '仅靠密码不够安全，密码可能被猜到或盗用。'],
  upstream: ['Add an upstream', '添加上游'],
  upstreamText: ['A provider that serves requests. It is tested immediately.', '上游负责处理请求，添加后会立即测试。'],
  model: ['Add a model', '添加模型'],
  modelText: ['With its price, from the model list of the provider.', '从上游的模型列表中选择，并设置价格。'],
  account: ['Create an account', '创建账户'],
  accountText: ['Accounts hold keys and a balance.', '账户持有密钥与余额。'],
} as const satisfies Strings;
