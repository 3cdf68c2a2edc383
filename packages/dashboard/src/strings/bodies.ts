import type { Strings } from '../text/strings.ts';

/** Stored request and response bodies, which a key has to opt in to. */
export const bodies = {
  days: ['{count} days', '{count} 天'],
  hours: ['{count} h', '{count} 小时'],
  badge: ['Stores bodies', '存储请求内容'],
  keyNotice: [
    'Requests and responses of this key are stored, encrypted, for {time}.',
    '此密钥的请求和响应会加密存储 {time}。',
  ],
  switch: ['Store request and response bodies', '存储请求和响应内容'],
  switchHelp: [
    'Turn on only if needed. Encrypted, deleted after {time}, truncated to {size} each.',
    '仅在需要时开启。内容加密存储，{time}后删除，每项最多保留 {size}。',
  ],
  switchNotice: [
    'Everything sent with this key is stored, including prompts and personal data. Account owners and the member of the key can read it; the audit log records each access. Inform the people who send these requests.',
    '使用此密钥发送的全部内容都会被存储，包括提示词和个人数据。账户所有者和密钥创建者可以查看，每次查看都会记入审计日志。请告知相关用户。',
  ],
  notAllowed: ['The gateway operator has turned off the storage of bodies.', '网关运营方已关闭内容存储。'],
  title: ['Request and response bodies', '请求与响应内容'],
  stored: [
    'Stored, encrypted, until {date}: request {request}, response {answer}.',
    '已加密存储至 {date}：请求 {request}，响应 {answer}。',
  ],
  dropped: [
    'Not stored: too many bodies were waiting to be written at that moment.',
    '未存储：当时等待写入的内容过多。',
  ],
  gone: [
    'No longer available. They expired, were deleted, or were displaced by newer ones; storage was turned off for the key; or the gateway stopped before it wrote them.',
    '内容已不可用：可能已过期、已被删除或被较新的内容取代，密钥已关闭存储，或网关在写入前停止。',
  ],
  notReader: ['Only account owners and the member of the key can read them.', '只有账户所有者和密钥所属成员可以查看。'],
  read: ['Show', '显示'],
  readHelp: ['The audit log records each access.', '每次查看都会记入审计日志。'],
  request: ['Request, as sent', '请求（原文）'],
  response: ['Response, as received', '响应（原文）'],
  pretty: ['Formatted', '格式化'],
  raw: ['Raw', '原文'],
  bytes: ['Base64', 'Base64'],
  cut: ['Only the beginning is stored. The full size is {size}.', '仅存储了开头部分，完整大小为 {size}。'],
  nothing: ['Empty', '无内容'],
  delete: ['Delete', '删除'],
  deleteTitle: ['Delete the stored bodies of this request?', '删除此请求的存储内容？'],
  deleteText: ['They are deleted permanently. The record of the request stays.', '内容将被永久删除，请求记录会保留。'],
  deleted: ['Stored bodies deleted', '存储内容已删除'],
  deleteKeyAction: ['Delete stored bodies…', '删除存储内容…'],
  deleteKeyTitle: ['Delete all stored bodies of “{name}”?', '删除“{name}”的全部存储内容？'],
  deleteKeyText: [
    'The bodies of all its requests are deleted permanently. Later requests are stored again, unless you turn that off in the key.',
    '其所有请求的内容将被永久删除。除非在密钥中关闭存储，否则之后的请求仍会被存储。',
  ],
} as const satisfies Strings;
