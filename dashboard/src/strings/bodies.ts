import type { Strings } from '../text/strings.ts';

/** Bodies of requests that are stored because their keys ask for it. */
export const bodies = {
  days: ['{count} days', '{count} 天'],
  hours: ['{count} h', '{count} 小时'],
  badge: ['Stored', '存储内容'],
  keyNotice: [
    'Requests of this key and their answers are kept, encrypted, for {time}.',
    '此密钥的请求及其回答会加密保存 {time}。',
  ],
  switch: ['Store what requests and answers say', '存储请求和回答的内容'],
  switchHelp: [
    'Off unless you need it. Encrypted, deleted after {time}, cut after {size} each.',
    '默认关闭，仅在需要时开启。内容加密存储，{time}后删除，每项超过 {size} 的部分会被截断。',
  ],
  switchNotice: [
    'Everything that is sent with this key is stored, prompts and personal data included. Owners of the account and whoever made the key can read it; each reading is noted in the audit log. Tell the people whose requests these are.',
    '使用此密钥发送的全部内容都会被存储，包括提示和个人数据。账户所有者和密钥创建者可以读取，每次读取都会记入审计日志。请告知相关人员。',
  ],
  notAllowed: [
    'Bodies are no longer stored here: whoever runs the gateway has switched it off.',
    '此处不再存储内容：网关运营方已将其关闭。',
  ],
  title: ['Bodies', '正文'],
  stored: [
    'Stored, encrypted, until {date}: {request} asked, {answer} answered.',
    '已加密存储至 {date}：请求 {request}，回答 {answer}。',
  ],
  dropped: [
    'They were not stored: too much was on its way to the store at that moment.',
    '未能存储：当时等待存储的内容过多。',
  ],
  gone: [
    'They were to be stored, and are not there: they were deleted, made room for newer ones or are too old, the key stopped storing, or the gateway ended before they were written.',
    '本应存储，但现已不在：可能已被删除、为更新的内容让位、已过期、密钥已停止存储，或网关在写入之前意外终止。',
  ],
  notReader: [
    'Only owners of the account and whoever made the key can read them.',
    '只有账户所有者和密钥创建者可以读取。',
  ],
  read: ['Show', '显示'],
  readHelp: ['Each reading is noted in the audit log.', '每次读取都会记入审计日志。'],
  request: ['Request, as it was sent', '请求（原文）'],
  answer: ['Answer, as it was received', '回答（原文）'],
  pretty: ['Formatted', '格式化'],
  raw: ['As it was', '原文'],
  bytes: ['Bytes in base64', 'Base64 字节'],
  cut: ['Only the beginning was stored, of {size} in all.', '仅存储了开头部分，全长 {size}。'],
  nothing: ['Nothing', '无'],
  delete: ['Delete', '删除'],
  deleteTitle: ['Delete the stored bodies of this request?', '删除此请求的存储内容？'],
  deleteText: ['They are gone for good. The record of the request stays.', '内容将永久删除，请求记录会保留。'],
  deleted: ['The bodies are deleted.', '内容已删除。'],
  deleteKeyAction: ['Delete stored bodies…', '删除存储内容…'],
  deleteKeyTitle: ['Delete everything stored of “{name}”?', '删除“{name}”的全部存储内容？'],
  deleteKeyText: [
    'The bodies of all its requests are gone for good. What comes afterwards is stored again, unless you switch that off in the key.',
    '其所有请求的内容将永久删除。除非在密钥中关闭存储，否则之后的内容仍会被存储。',
  ],
} as const satisfies Strings;
