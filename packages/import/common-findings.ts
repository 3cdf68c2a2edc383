import type { FindingTexts } from './finding-text.ts';

/** Findings of every product. */
export const commonFindings = {
  decision: {
    address_private:
      'The address {host} may be private. Stored upstreams reach it only if `egress.allow` of the configuration lists it.',
    amount_too_large:
      '`{field}` is {amount}, more than the gateway can book. It is {used}. Set the amount that is meant.',
    amount_unreadable:
      '`{field}` is "{amount}", which is not an amount. It is left out. Correct it in the source, or set it afterwards.',
    organisation_gone:
      'The account belongs to the organisation {organisation}, which the source does not have. It is created without an organisation.',
    price_missing:
      'The source has no price for this model. It is left out, because a price is never guessed. Pass a price list as a further source, or add the model with `chat-gateway models add`.',
    credential_encrypted:
      'The provider credential is encrypted, and no key was given. The upstream is created without it, disabled. Pass --salt-key-env.',
    credential_unreadable:
      'The provider credential does not open with the given key. The upstream is created without it, disabled. Set it with `chat-gateway upstreams rotate-key`.',
    credential_missing:
      'The source has no credential for this upstream. It is created disabled. Set one with `chat-gateway upstreams rotate-key`.',
    credential_in_environment:
      'The credential is the environment variable {name}. Set it for the gateway too, and list it in `egress.variables` of the configuration file.',
    kind_unknown: 'The provider type "{type}" is not known. The upstream is created with the kind `openai`, disabled.',
    email_shared:
      'The user has the e-mail address of user {first}. One person owns the accounts of both, and signs in with the password of user {first}.',
    operator_proposed:
      'The user is an administrator of the source ({role}). No operator is created. Invite one in the dashboard, or create a link with `chat-gateway console-link`.',
    key_limits_lost:
      'The key {name} is limited by {limits}. It cannot be carried over, so the key arrives revoked. Remove the limit in the source before the import, or create a new key.',
    period_lengthened:
      'The budget renews every {duration}. Here the same amount holds for the period `{period}`, which is stricter. Change the limit if that is too little.',
  },
  lost: {
    model_name_invalid: 'The model name "{name}" has spaces, commas or control characters. It is left out.',
    email_missing:
      'The user has no e-mail address and cannot sign in. Accounts and keys are taken. Invite the user in the dashboard, under Members.',
    request_rates:
      '{limits} is not taken: the gateway queues requests instead of refusing them. Set max_concurrency of keys or members.',
    spend_not_booked:
      'In the limit of {limit} ({period}) at {name}, {spent} are spent so far. {missing} of it belong to no imported key or account, and do not count here. Lower the limit by that amount until the period ends.',
    table_not_taken: '{rows} rows are not taken: {what}.',
    setting_not_taken: 'Not taken: {what}.',
  },
  guessed: {
    price_from_table: 'The source has no price. The price of {model} in the table of the gateway, of {day}, is used.',
  },
  info: {
    amount_rounded: '`{field}` is {amount}, which has more than nine places. It is rounded to {rounded}.',
    price_rounded: 'The price `{field}` has more than six places per million tokens. It is rounded up.',
    name_changed: 'The name "{name}" is in use here. It becomes "{used}".',
    password_unknown: 'The password hash has a form that the gateway cannot check. The user needs a reset link.',
    key_blocked: 'The key {name} is blocked in the source. It is created revoked.',
  },
} as const satisfies FindingTexts;

/** Findings of applying a plan to a gateway. */
export const appliedFindings = {
  decision: {
    changed_here:
      'The source changed it, but {subject} was also changed here since the last import. It stays as it is here.',
    gone_in_source:
      'The source does not have it any more. {subject} stays here. Remove or suspend it if it is no longer needed.',
    key_moved:
      'The key {name} belongs to another account in the source now. A key cannot move here. Create a new key in that account.',
    key_stays_revoked:
      'The key {name} is active in the source, but revoked here. A revoked key stays revoked. Create a new key.',
    key_without_member:
      'The key {name} is left out, because the user for whom it counts is. Import again when the user is here.',
    keys_spent_more:
      'Its keys have spent {more} more than the source counts in its limit for the period `{period}`. The spend of the keys counts here. Raise the limit by that amount if the source does not refuse its requests.',
    model_exists: 'The model {model} exists here already. It stays as it is here, and requests use it.',
    removed_here: 'The source changed it, but {subject} was removed here since the last import. It stays removed.',
  },
  lost: {
    fallbacks_refused: 'The fallbacks of {model} are not possible here. They are left out.',
    item_refused: 'The gateway refuses it: {problem} It is left out.',
    key_without_account: 'The key {name} is left out, because its account is left out.',
    routes_without_upstream: '{count} routes of {model} are left out, because their upstreams are left out.',
  },
  info: {
    key_exists: 'The key {name} exists here already. Its terms stay as they are here.',
    reset_needed: '{email} has no password here. Create a reset link with `chat-gateway people reset`.',
    user_exists: '{email} can sign in here already. The password stays, roles are added.',
  },
} as const satisfies FindingTexts;
