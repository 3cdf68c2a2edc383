import type { Strings } from '../text/strings.ts';

/** What the pages are called, in the navigation and in the window's title. */
export const nav = {
  overview: ['Overview', '概览'],
  keys: ['Keys', '密钥'],
  models: ['Models', '模型'],
  model: ['Model', '模型详情'],
  playground: ['Playground', '试验场'],
  requests: ['Requests', '请求'],
  request: ['Request', '请求详情'],
  billing: ['Billing', '账单'],
  profile: ['Profile', '个人资料'],
  security: ['Security', '安全'],
  members: ['Members', '成员'],
  live: ['Live', '实时'],
  upstreams: ['Upstreams', '上游'],
  routes: ['Models and routes', '模型与路由'],
  sites: ['Sites', '站点'],
  packages: ['Packages', '套餐'],
  accounts: ['Accounts', '账户'],
  audit: ['Audit', '审计'],
  system: ['System', '系统'],
  signIn: ['Sign in', '登录'],
  signUp: ['Create an account', '注册账户'],
  setup: ['Welcome', '欢迎'],
  invitation: ['Invitation', '邀请'],
} as const satisfies Strings;
