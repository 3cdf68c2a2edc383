import type { Strings } from '../text/strings.ts';

export const sites = {
  description: [
    'Domains this gateway answers on, each with a catalog of its own.',
    '网关应答的域名，各有自己的模型目录。',
  ],
  add: ['Add a site', '添加站点'],
  addTitle: ['New site', '新站点'],
  editTitle: ['Site {name}', '站点 {name}'],
  addAction: ['Add site', '添加站点'],
  removeTitle: ['Remove the site {name}?', '移除站点 {name}？'],
  removeText: [
    'Requests to its domains are answered by the site with the next best domain from then on, or refused if there is none. Accounts, keys and money stay.',
    '此后发往其域名的请求由次佳匹配的站点应答；若无匹配则被拒绝。账户、密钥和资金不受影响。',
  ],
  added: ['Site {name} added', '已添加站点 {name}'],
  removed: ['Site {name} removed', '已移除站点 {name}'],
  emptyTitle: ['No site yet', '还没有站点'],
  emptyText: [
    'A site joins domains with the models that exist there. Add one with the domain * to answer on every domain.',
    '站点将域名与其上的模型关联。添加一个域名为 * 的站点即可在所有域名上应答。',
  ],
  name: ['Name', '名称'],
  nameHelp: ['How logs and commands call it. It cannot be changed later.', '日志与命令中的称呼，之后不可更改。'],
  title: ['Title', '标题'],
  titleHelp: ['What the dashboard calls itself on these domains.', '控制台在这些域名上显示的名称。'],
  domains: ['Domains', '域名'],
  domainsHelp: [
    'Without port. An exact name wins over *.example.com, which wins over *.',
    '不含端口。完整域名优先于 *.example.com，后者优先于 *。',
  ],
  domainsPlaceholder: ['Type a domain and press Enter', '输入域名后按回车'],
  domainsMissing: ['Name at least one domain; * takes every one', '至少填写一个域名；* 表示全部'],
  models: ['Models', '模型'],
  modelsMissing: ['Name at least one model; * takes every one', '至少填写一个模型；* 表示全部'],
  signUp: ['Sign-up', '注册'],
  signUpOpen: ['Open to everyone', '对所有人开放'],
  signUpClosed: ['By invitation', '仅限邀请'],
  signUpSwitch: ['Anyone may make themselves an account', '任何人都可自行注册账户'],
  signUpHelp: [
    'Off: people come in by invitation only. On: a new account begins without credit.',
    '关闭：仅限受邀加入。开启：新账户初始没有额度。',
  ],
  signUpPackage: ['Package of new accounts', '新账户的套餐'],
  streamFalse: ['One JSON body', '单个 JSON 响应'],
  streamFalseSwitch: ['Answer stream: false with one JSON body', '对 stream: false 返回单个 JSON 响应'],
  streamFalseHelp: [
    'Off: every answer is a stream, whatever the request says. On: a client that asks for no stream gets the whole answer at once.',
    '关闭：无论请求如何，一律以流式应答。开启：请求非流式的客户端将一次性收到完整应答。',
  ],
  bearerSwitch: ['Take any bearer token on the messages surface', '在 messages 接口接受任意 Bearer 令牌'],
  bearerHelp: [
    'Off: keys come in x-api-key, and as a bearer token only from client libraries of the format. On: anybody may send the key as “Authorization: Bearer …”.',
    '关闭：密钥须通过 x-api-key 发送，只有该格式的客户端库可以用 Bearer 令牌发送。开启：任何人都可以用 “Authorization: Bearer …” 发送密钥。',
  ],
  anyDomain: ['Every domain', '所有域名'],
} as const satisfies Strings;
