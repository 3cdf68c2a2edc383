import type { Strings } from '../text/strings.ts';

/** What the gateway's refusals mean, by their code. Its own words are English; some details have words of their own here. */
export const errors = {
  conflict: [
    'Somebody else has changed it since you opened it. Look at it again.',
    '您打开之后，其他人已修改了此项。请重新查看。',
  ],
  forbidden: ['You may not do that: it needs a higher role.', '您没有权限执行此操作，需要更高的角色。'],
  not_found: ['It is not there, or no longer.', '该项不存在或已被移除。'],
  not_signed_in: [
    'You are not signed in, or your session has ended. Sign in and try again.',
    '您尚未登录，或会话已结束。请登录后重试。',
  ],
  account_suspended: [
    'This account is suspended: its keys are refused, so no new one is made. Ask whoever runs this gateway.',
    '此账户已暂停，其密钥不可用，因此不能创建新密钥。请联系网关运营方。',
  ],
  address_not_allowed: ['This key may not be used from where you are.', '此密钥不允许从您当前的地址使用。'],
  invalid_request: ['Something that was sent breaks a rule.', '提交的内容不符合要求。'],
  invalid_api_key: [
    'The API key is missing, malformed, revoked or unknown.',
    'API 密钥缺失、格式有误、已吊销或不存在。',
  ],
  access_denied: ['The model does not exist, or this key may not use it.', '模型不存在，或此密钥无权使用该模型。'],
  insufficient_balance: [
    'The balance, or what this key may spend, does not cover the most this request could cost.',
    '账户余额或此密钥的消费上限不足以支付此请求的最高费用。',
  ],
  code_mistyped: [
    'A character of the code is wrong or missing. Check what you typed.',
    '兑换码有误或不完整，请检查输入。',
  ],
  code_unknown: ['There is no such code here.', '此兑换码不存在。'],
  code_used: ['This code was redeemed already, by another account.', '此兑换码已被其他账户使用。'],
  code_used_by_you: ['Your account has redeemed this code already.', '您的账户已使用过此兑换码。'],
  code_withdrawn: ['This code was withdrawn. Ask whoever gave it to you.', '此兑换码已作废，请联系提供者。'],
  code_expired: ['This code has expired. Ask whoever gave it to you.', '此兑换码已过期，请联系提供者。'],
  code_elsewhere: ['This code is for another site. Redeem it there.', '此兑换码仅限其他站点使用。'],
  code_other_package: ['This code is not for the package of your account.', '此兑换码不适用于您的账户套餐。'],
  code_suspended: ['This account is suspended, so nothing can be redeemed for it.', '账户已暂停，无法兑换。'],
  overloaded: ['The gateway is busy. Try again in a moment.', '网关繁忙，请稍后重试。'],
  upstream_failed: ['The provider did not answer as it should.', '上游服务未能正常应答。'],
  upstream_timeout: ['The provider took too long.', '上游服务应答超时。'],
  upstream_rejected: ['The provider refused the request.', '上游服务拒绝了此请求。'],
  internal_error: ['Something went wrong in the gateway.', '网关内部出现错误。'],
  taken: ['That name is taken already. Choose another.', '该名称已被占用，请换一个。'],
  ownedByFile: ['The configuration file owns it. Change it there.', '此项由配置文件定义，请在配置文件中修改。'],
  needed: ['Something else still needs it.', '仍有其他项依赖于此项。'],
  past: ['That time has passed. Name a later one.', '该时间已过，请选择更晚的时间。'],
  known: ['That address is known here already.', '此邮箱地址已被使用。'],
} as const satisfies Strings;
