import type { Texts } from './text.ts';

/** Why an admin request or a sign-in is refused, in English and Chinese. The key is the `reason` for programs. */
export const refusals = {
  invalid_fields: ['A field of the request is invalid.', '请求中有字段不符合要求。'],

  account_not_found: ['There is no such account.', '该账户不存在。'],
  batch_not_found: ['There is no such batch.', '该批处理任务不存在。'],
  batch_file_not_found: ['This batch has no such file, or it was deleted.', '该批处理任务没有此文件，或文件已被删除。'],
  batch_has_ended: [
    'The batch has ended or is ending, so it can no longer be cancelled.',
    '该批处理任务已结束或正在结束，无法再取消。',
  ],
  billing_document_not_found: ['There is no such document.', '该单据不存在。'],
  code_batch_not_found: ['There is no such batch of codes.', '该批兑换码不存在。'],
  delivery_not_found: ['There is no such delivery.', '该投递记录不存在。'],
  invitation_not_found: ['There is no such invitation.', '该邀请不存在。'],
  key_not_found: ['There is no such key.', '该密钥不存在。'],
  link_not_found: ['There is no such link.', '该链接不存在。'],
  member_not_found: ['There is no such member.', '该成员不存在。'],
  model_not_found: ['There is no such model.', '该模型不存在。'],
  month_not_found: ['There is no statement for this month.', '该月份没有账单。'],
  operator_not_found: ['There is no such operator.', '该运营人员不存在。'],
  package_not_found: ['There is no such package.', '该套餐不存在。'],
  organisation_not_found: ['There is no such organisation.', '该组织不存在。'],
  passkey_not_found: ['There is no such passkey.', '该通行密钥不存在。'],
  payment_not_found: ['There is no such payment.', '该笔付款不存在。'],
  request_not_found: ['There is no such request.', '该请求不存在。'],
  session_not_found: ['There is no such session.', '该会话不存在。'],
  site_not_found: ['There is no such site.', '该站点不存在。'],
  stored_body_not_found: ['There is no stored body for this request.', '此请求没有存储的内容。'],
  token_not_found: ['There is no such token.', '该令牌不存在。'],
  upstream_not_found: ['There is no such upstream.', '该上游不存在。'],
  user_not_found: ['There is no such user.', '该用户不存在。'],
  webhook_not_found: ['There is no such webhook endpoint.', '该 Webhook 端点不存在。'],

  limit_reached: [
    'The {scope} has a spend limit of {amount} per {period}. The remainder is below the maximum cost of this request. Raise the limit, wait until it resets at {resets_at}, or lower max_tokens.',
    '{scope}的每{period}消费限额 {amount} 所剩额度不足以支付此请求的最高费用。请提高限额、等待限额于 {resets_at} 重置，或调低 max_tokens。',
  ],
  total_limit_reached: [
    'The {scope} has a spend limit of {amount} in total. The remainder is below the maximum cost of this request. Raise the limit, or lower max_tokens.',
    '{scope}的累计消费限额 {amount} 所剩额度不足以支付此请求的最高费用。请提高限额，或调低 max_tokens。',
  ],

  read_only_role: ['Your role in this account is read-only.', '您在此账户中只有查看权限。'],
  no_organisation: [
    'You are not a member of any organisation. Ask for an invitation.',
    '您还未加入任何组织，请索取邀请。',
  ],
  key_member_needs_owner: [
    'Only owners of the account can choose the member for whom a key counts.',
    '只有账户所有者可以指定密钥所属的成员。',
  ],
  organisation_needs_owner: [
    'Only owners of the organisation can manage its members.',
    '只有组织所有者可以管理组织成员。',
  ],
  members_need_owner: ['Only owners of the account can manage its members.', '只有账户所有者可以管理成员。'],
  reference_needs_owner: [
    'Only owners of the gateway can let an upstream read an environment variable. Send the credential itself.',
    '只有网关所有者可以让上游读取环境变量，请直接填写凭据。',
  ],
  domain_needs_owner: [
    'Only owners of the gateway can add a site or a domain of it: links in e-mails lead there.',
    '只有网关所有者可以添加站点或站点域名，因为邮件中的链接会指向该域名。',
  ],
  import_address_unconfirmed: [
    '{email} can sign in here, but has not confirmed the address. Roles are added after the user has confirmed it.',
    '{email} 可以登录，但尚未验证该邮箱地址。用户完成验证后才会添加角色。',
  ],
  settings_need_owner: ['Only owners of the account can change its settings.', '只有账户所有者可以修改账户设置。'],
  payments_need_owner: [
    'Only owners of the account can change its card and its automatic top-up.',
    '只有账户所有者可以修改银行卡和自动充值。',
  ],
  payment_of_another: [
    'Only the user or token that began a payment can check it out. Begin a payment of your own.',
    '只有发起付款的用户或令牌可以结账，请另行发起付款。',
  ],
  alerts_need_owner: ['Only owners of the account can change its alerts.', '只有账户所有者可以修改账户提醒。'],
  audit_needs_owner: ['Only owners of the account can read its audit log.', '只有账户所有者可以查看账户审计日志。'],
  webhooks_need_owner: [
    'Only owners of the account can manage its webhook endpoints.',
    '只有账户所有者可以管理 Webhook 端点。',
  ],
  key_needs_owner: [
    'Only owners of the account and the member for whom the key counts can change it, and read or delete the stored bodies of its requests.',
    '只有账户所有者和该密钥所属成员可以修改该密钥，以及查看或删除其请求的已存储内容。',
  ],
  digest_needs_operator: [
    'Only operators can subscribe to the digest of the whole gateway. Owners choose a digest of their account under Alerts.',
    '只有运营人员可以订阅整个网关的摘要。账户所有者可在“提醒”中订阅账户摘要。',
  ],
  reset_needs_operator: [
    'This user also belongs to other accounts or to the operators. Ask an operator of the gateway to create the reset link.',
    '此用户还属于其他账户，或是运营人员。请联系网关运营方生成重置链接。',
  ],
  reset_needs_owner: [
    'This user has a higher role than you. Ask an owner of the gateway to create the reset link.',
    '此用户的角色高于您，请联系网关所有者生成重置链接。',
  ],
  reset_own_account: [
    'You cannot create a reset link for yourself. Change your password and two-factor authentication under Security.',
    '您不能为自己生成重置链接，请在“安全”页面修改密码和两步验证。',
  ],
  no_account: [
    'You are not a member of any account. Ask for an invitation. Operators name an account in `x-account`.',
    '您还未加入任何账户，请索取邀请。运营人员请在 `x-account` 中指定账户。',
  ],
  wrong_origin: [
    'The Origin header is missing or names another site. With a session cookie, changes must come from the dashboard.',
    'Origin 请求头缺失，或指向其他站点。使用会话 Cookie 的更改只能来自控制台。',
  ],
  invalid_token: [
    'The token is missing, malformed, revoked or unknown. Send it as `Authorization: Bearer gwa_…`. API keys are not accepted here.',
    '令牌缺失、格式有误、已吊销或不存在。请以 `Authorization: Bearer gwa_…` 发送；此处不接受 API 密钥。',
  ],

  changed_by_others: [
    'The {kind} {id} was changed by {actors} at {time} after you read it{changes}. Read it again, and send its `version` with your change.',
    '{kind} {id} 在您读取后已于 {time} 被 {actors} 修改{changes}。请重新读取，并附上其 `version` 再次提交。',
  ],
  changed_meanwhile: [
    'The {kind} {id} was changed after you read it. Read it again, and send its `version` with your change.',
    '{kind} {id} 在您读取后已被修改。请重新读取，并附上其 `version` 再次提交。',
  ],
  idempotency_key_invalid: [
    'The Idempotency-Key must have 1 to 255 printable ASCII characters and no spaces.',
    'Idempotency-Key 须为 1 到 255 个可显示的 ASCII 字符，且不含空格。',
  ],
  idempotency_key_reused: [
    'This Idempotency-Key was used for another request. Send a new key with a new request.',
    '此 Idempotency-Key 已用于其他请求，请为新请求使用新的值。',
  ],

  organisation_has_accounts: [
    'The organisation still has {count} accounts. Remove them from it first.',
    '该组织仍有 {count} 个账户，请先将其移出。',
  ],
  organisation_full: [
    'The organisation has {max} accounts, which is the maximum.',
    '该组织已有 {max} 个账户，达到上限。',
  ],
  package_owned_by_file: [
    'The package of this account is set in the configuration file. Change `package` there.',
    '此账户的套餐由配置文件定义，请在其中修改 `package`。',
  ],
  webhook_owned_by_file: [
    'The webhook endpoint `{name}` is set in the configuration file. Change it there, under `webhooks`.',
    'Webhook 端点 `{name}` 由配置文件定义，请在配置文件的 `webhooks` 中修改。',
  ],
  resource_owned_by_file: [
    'The {kind} `{name}` is set in the configuration file. Change it in `{section}` there. A running gateway applies the change within a second.',
    '{kind} `{name}` 由配置文件定义，请在其 `{section}` 中修改。运行中的网关会在一秒内应用更改。',
  ],
  resource_name_fixed: [
    'The `{field}` of the {kind} `{name}` cannot be changed. Add another one and remove this one.',
    '{kind} `{name}` 的 `{field}` 不能更改，请新增一项并移除此项。',
  ],
  credentials_needed: [
    'The base URL of the upstream `{name}` has changed. Send the credentials for the new URL too.',
    '上游 `{name}` 的接口地址已更改，请同时提供新地址的凭据。',
  ],
  resource_missing: ['There is no {kind} `{name}`. {hint}', '{kind} `{name}` 不存在。{hint}'],
  resource_invalid: ['The {kind} `{name}` is not valid.', '{kind} `{name}` 不符合要求。'],
  credential_invalid: ['The key of the upstream `{name}` cannot be changed.', '无法更改上游 `{name}` 的密钥。'],
  models_not_added: [
    'No model was added. Correct or remove the invalid ones.',
    '未添加任何模型。请更正或移除有误的模型。',
  ],
  prices_not_changed: [
    'No price was changed. Correct or remove the invalid ones.',
    '未更改任何价格。请更正或移除有误的价格。',
  ],
  upstream_in_use: [
    'The upstream `{name}` is used by {users}. Remove those models first.',
    '上游 `{name}` 仍被 {users} 使用，请先移除这些模型。',
  ],
  model_in_use: [
    'The model `{name}` is a fallback of {users}. Remove it from their `fallbacks` first.',
    '模型 `{name}` 是 {users} 的备用模型，请先从其 `fallbacks` 中移除。',
  ],
  package_in_use: [
    'The package `{name}` is used by {users}. Give those accounts another package first.',
    '套餐 `{name}` 仍被 {users} 使用，请先为这些账户更换套餐。',
  ],
  file_conflicts_with_store: [
    'The configuration file cannot be applied: {conflicts}. Change the file, or run {commands}.',
    '无法应用配置文件：{conflicts}。请修改文件，或运行 {commands}。',
  ],
  upstream_unusable: [
    'This upstream cannot be used as it is configured. `problems` of GET /admin/v1/system names the cause.',
    '此上游按当前配置无法使用，原因见 GET /admin/v1/system 的 `problems`。',
  ],

  invoice_currency_differs: [
    'The invoice is in {invoiced}, but the currency of this gateway is {currency}. Convert it, or leave out its costs.',
    '账单币种为 {invoiced}，而网关币种为 {currency}。请先换算，或去掉费用列后再对账。',
  ],
  invoice_too_long: [
    'The rows span {days} days, but at most {max} days can be compared at once. Send them in parts.',
    '这些行跨越 {days} 天，一次最多比较 {max} 天，请分批提交。',
  ],

  too_many_invitations: [
    'There are already {max} pending invitations. Withdraw some of them first.',
    '已有 {max} 个待接受的邀请，请先撤回一些。',
  ],
  too_many_webhooks: [
    'There are already {max} webhook endpoints. Remove one first.',
    '已有 {max} 个 Webhook 端点，请先移除一个。',
  ],
  webhook_disabled: ['The webhook endpoint is disabled. Enable it first.', '此 Webhook 端点已停用，请先启用。'],
  no_mail_server: [
    'No mail server is configured. Set one under `mail` in the configuration file.',
    '尚未配置邮件服务器，请在配置文件的 `mail` 中设置。',
  ],
  no_mail_to_confirm: [
    'This gateway sends no e-mail. Ask an operator to invite you to your account again.',
    '此网关不发送邮件。请联系运营方重新邀请您加入账户。',
  ],
  bodies_not_allowed: [
    'This gateway does not store request and response bodies. An operator can enable this with `stored_bodies` in the configuration file.',
    '此网关不存储请求和响应的内容，运营方可在配置文件中通过 `stored_bodies` 启用。',
  ],
  bodies_of_other_secret: [
    'These bodies were encrypted with another secret and cannot be read. Ask an operator whether `stored_bodies.secret` or `secret` was changed, or delete them.',
    '这些内容由其他密钥加密，无法读取。请联系运营方确认 `stored_bodies.secret` 或 `secret` 是否已更换，或将内容删除。',
  ],
  bodies_damaged: [
    'These bodies were changed after they were stored and cannot be read. Delete them.',
    '这些内容在存储后被更改，无法读取，请将其删除。',
  ],
  key_of_other_account: [
    'The secret of the key {name} already belongs to a key of another account. Every key needs its own secret.',
    '密钥 {name} 的内容已属于其他账户的密钥。每个密钥的内容必须不同。',
  ],
  key_is_digest: [
    'This is the SHA-256 digest of another key. Import each key either by its secret or by its digest.',
    '这是另一密钥的 SHA-256 摘要。每个密钥只能以内容或摘要之一导入。',
  ],
  key_not_valid: ['The key is no longer valid. Create a new one.', '此密钥已失效，请创建新的密钥。'],
  last_owner: [
    'This is the last owner. Make another user an owner first.',
    '这是最后一位所有者，请先将他人设为所有者。',
  ],
  too_many_lines: [
    'There are more than {max} lines. Choose a shorter time range with `since` and `until`.',
    '记录超过 {max} 行，请用 `since` 和 `until` 缩短时间范围。',
  ],
  too_many_statement_lines: [
    'There are more than {max} lines. Read them page by page from `/lines`, or the ledger day by day.',
    '记录超过 {max} 行，请通过 `/lines` 分页读取，或按天读取收支明细。',
  ],

  no_payments: ['This gateway does not accept payments.', '此网关未开通在线支付。'],
  no_saved_card: [
    'The account has no saved card. Save a card first, then turn on the automatic top-up.',
    '此账户没有已保存的银行卡。请先保存银行卡，再开启自动充值。',
  ],
  payment_over: ['This payment has ended. Start a new one.', '此笔付款已结束，请重新发起。'],
  payment_differs: [
    'The amount or currency that was paid differs from the requested one.',
    '支付的金额或货币与请求的不同。',
  ],
  payment_booked_before: [
    'This payment was already booked under another id. Refund one of them.',
    '此笔付款已以其他编号入账，请退还其中一笔。',
  ],
  refund_too_large: [
    'The refund of {amount} minor units of {currency} is larger than payment {id}. Nothing was booked.',
    '退款金额 {amount}（{currency} 最小单位）超过付款 {id} 的金额，未入账。',
  ],
  payment_signature_invalid: ['The signature is missing, wrong or too old.', '签名缺失、有误或已过期。'],
  payment_event_invalid: ['The body is not an event of the payment provider.', '内容不是支付服务商的事件。'],
  payment_event_unbookable: [
    'The event {type} is signed but cannot be booked: {problems}. Nothing was booked.',
    '事件 {type} 的签名有效，但无法入账：{problems}。未入账。',
  ],
  payment_provider_unreachable: [
    'The payment provider could not be reached. Nothing was paid; try again in a moment.',
    '无法连接支付服务商。未产生付款，请稍后重试。',
  ],
  payment_provider_refused: [
    'The payment provider refused the request, so nothing was paid. Retrying does not help: ask the gateway operator to check the payment settings.',
    '支付服务商拒绝了请求，未产生付款。重试无效，请联系网关运营方检查支付设置。',
  ],

  code_mistyped: ['The code has a wrong or missing character. Check your input.', '兑换码有误或不完整，请检查输入。'],
  code_unknown: [
    'There is no such code. Check your input, and whether the code is for this gateway.',
    '此兑换码不存在。请检查输入，并确认兑换码适用于此网关。',
  ],
  code_used: ['Another account has redeemed this code.', '此兑换码已被其他账户使用。'],
  code_used_by_you: [
    'Your account has already redeemed this code. The ledger shows the credit.',
    '您的账户已使用过此兑换码，可在收支明细中查看入账记录。',
  ],
  code_withdrawn: ['This code was withdrawn. Contact the person who gave it to you.', '此兑换码已作废，请联系提供者。'],
  code_expired: ['This code has expired. Contact the person who gave it to you.', '此兑换码已过期，请联系提供者。'],
  code_elsewhere: [
    'This code is for another site of this gateway. Redeem it there.',
    '此兑换码属于此网关的其他站点，请在该站点兑换。',
  ],
  code_other_package: ['This code is not for the package of your account.', '此兑换码不适用于您的账户套餐。'],
  code_suspended: [
    'This account is suspended and cannot redeem codes. The code stays valid.',
    '账户已暂停，无法兑换。兑换码仍然有效。',
  ],

  sign_in_invalid: ['The sign-in data is wrong or no longer valid.', '登录信息不正确或已失效。'],
  wrong_password: ['The current password is wrong.', '当前密码不正确。'],
  wrong_sign_up_password: [
    'This is not the password chosen at sign-up. If it was not you who signed up, sign up again.',
    '此密码与注册时设置的不同。如果不是您本人注册的，请重新注册。',
  ],
  wrong_reset_password: [
    'The password is wrong. If you lost it too, ask for another link.',
    '密码不正确。如果密码也已遗失，请索取另一链接。',
  ],
  second_factor_refused: [
    'The code is wrong or was already used, or there were too many attempts. Enter the newest code, or sign in again.',
    '验证码有误、已被使用或尝试次数过多。请输入最新的验证码，或重新登录。',
  ],
  one_time_code_used: [
    'This code, or a newer one, was already used. Wait for the next code and enter it.',
    '此验证码或更新的验证码已被使用，请等待下一个验证码再输入。',
  ],
  one_time_code_wrong: [
    'The code is wrong or was already used. Enter the code that is shown now.',
    '验证码有误或已被使用，请输入当前显示的验证码。',
  ],
  passkey_unknown: [
    'This passkey is not registered here, or the attempt took too long. Try again.',
    '此通行密钥未在此注册，或操作超时。请重试。',
  ],
  passkey_unverified: ['The passkey could not be verified. Start again.', '通行密钥验证失败，请重新开始。'],
  passkey_needs_fresh_sign_in: [
    'You signed in too long ago. Sign out, sign in again, and add the passkey within ten minutes.',
    '距您上次登录的时间过长。请退出并重新登录，然后在十分钟内添加通行密钥。',
  ],
  second_factor_exists: [
    'Two-factor authentication is already on. Turn it off before you set it up again.',
    '两步验证已启用。请先关闭，再重新设置。',
  ],
  second_factor_missing: [
    'Two-factor authentication is off. Turn it on to get backup codes.',
    '尚未启用两步验证。启用后会生成备用码。',
  ],
  link_expired: [
    'This link was already used, was withdrawn or has expired. Ask for a new one.',
    '此链接已被使用、已被撤回或已过期，请索取新的链接。',
  ],
  name_and_password_missing: [
    '`name` and `password` are missing. New users choose both.',
    '缺少 `name` 和 `password`，新用户须自行设置。',
  ],
  invitation_for_other_user: [
    'The invitation is for {email}, which is already registered here. Sign in as that user and open the link again.',
    '此邀请属于已注册的用户 {email}。请以该用户登录后重新打开链接。',
  ],
  reset_without_mail: [
    'This gateway sends no e-mails. Ask the owner of your account or the operator for a reset link.',
    '此网关不发送邮件，请向账户所有者或网关运营方索取重置链接。',
  ],
  sign_up_closed: ['Sign-up is closed here. Ask for an invitation.', '此处未开放注册，请索取邀请。'],
  address_known: ['This e-mail address is already registered. Sign in instead.', '此邮箱地址已注册，请直接登录。'],
  no_single_sign_on: ['Single sign-on is not configured here.', '此处未启用单点登录。'],
  single_sign_on_unreachable: [
    'The single sign-on provider cannot be reached now. Try again later.',
    '暂时无法连接单点登录服务商，请稍后重试。',
  ],
  sign_in_overloaded: ['Too many users are signing in right now. Try again later.', '当前登录的人数过多，请稍后重试。'],
  too_many_attempts: ['Too many attempts at the moment. Try again later.', '当前尝试次数过多，请稍后重试。'],
  too_many_changes: [
    'Too many changes were made here in the last day: {max}. Try again in a minute.',
    '最近一天内的更改过多（{max} 次），请一分钟后重试。',
  ],
  too_many_retriable: [
    'The last {max} requests with an Idempotency-Key are all less than 15 minutes old. Try again in a few minutes.',
    '最近 {max} 个带 Idempotency-Key 的请求都不到 15 分钟，请几分钟后重试。',
  ],
  too_many_emails: [
    'Too many e-mails were requested. Check your mailbox, and try again in an hour.',
    '请求的邮件过多。请查看邮箱，一小时后再试。',
  ],
} as const satisfies Texts;
