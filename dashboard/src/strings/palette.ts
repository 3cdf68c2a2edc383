import type { Strings } from '../text/strings.ts';

export const palette = {
  open: ['Search', '搜索'],
  title: ['Search pages, models, keys, requests and accounts', '搜索页面、模型、密钥、请求和账户'],
  placeholder: ['Page, model, key, account or request ID', '页面、模型、密钥、账户或请求 ID'],
  found: ['Search results', '搜索结果'],
  nothing: ['No results', '没有匹配的结果'],
  page: ['Page', '页面'],
  model: ['Model', '模型'],
  key: ['Key', '密钥'],
  request: ['Request', '请求'],
  anyRequest: ['Request (operator)', '请求（运营）'],
  account: ['Account', '账户'],
} as const satisfies Strings;
