import type { FindingTexts } from './finding-text.ts';

/** Findings of every product. */
export const commonFindings = {
  address_private: {
    severity: 'decision',
    text: 'The address {host} may be private. Stored upstreams reach it only if `egress.allow` of the configuration lists it.',
  },
  amount_rounded: {
    severity: 'info',
    text: '`{field}` is {amount}, which has more than nine places. It is rounded to {rounded}.',
  },
  amount_too_large: {
    severity: 'decision',
    text: '`{field}` is {amount}, more than the gateway can book. It is {used}. Set the amount that is meant.',
  },
  amount_unreadable: {
    severity: 'decision',
    text: '`{field}` is "{amount}", which is not an amount. It is left out. Correct it in the source, or set it afterwards.',
  },
  organisation_gone: {
    severity: 'decision',
    text: 'The account belongs to the organisation {organisation}, which the source does not have. It is created without an organisation.',
  },
  price_rounded: {
    severity: 'info',
    text: 'The price `{field}` has more than six places per million tokens. It is rounded up.',
  },
  price_missing: {
    severity: 'decision',
    text: 'The source has no price for this model. It is left out, because a price is never guessed. Pass a price list as a further source, or add the model with `chat-gateway models add`.',
  },
  price_from_table: {
    severity: 'guessed',
    text: 'The source has no price. The price of {model} in the table of the gateway, of {day}, is used.',
  },
  credential_encrypted: {
    severity: 'decision',
    text: 'The provider credential is encrypted, and no key was given. The upstream is created without it, disabled. Pass --salt-key-env.',
  },
  credential_unreadable: {
    severity: 'decision',
    text: 'The provider credential does not open with the given key. The upstream is created without it, disabled. Set it with `chat-gateway upstreams rotate-key`.',
  },
  credential_missing: {
    severity: 'decision',
    text: 'The source has no credential for this upstream. It is created disabled. Set one with `chat-gateway upstreams rotate-key`.',
  },
  credential_in_environment: {
    severity: 'decision',
    text: 'The credential is the environment variable {name}. Set it for the gateway too, and list it in `egress.variables` of the configuration file.',
  },
  kind_unknown: {
    severity: 'decision',
    text: 'The provider type "{type}" is not known. The upstream is created with the kind `openai`, disabled.',
  },
  name_changed: { severity: 'info', text: 'The name "{name}" is in use here. It becomes "{used}".' },
  model_name_invalid: {
    severity: 'lost',
    text: 'The model name "{name}" has spaces, commas or control characters. It is left out.',
  },
  email_missing: {
    severity: 'lost',
    text: 'The user has no e-mail address and cannot sign in. Accounts and keys are taken. Invite the user in the dashboard, under Members.',
  },
  email_shared: {
    severity: 'decision',
    text: 'The user has the e-mail address of user {first}. One person owns the accounts of both, and signs in with the password of user {first}.',
  },
  password_unknown: {
    severity: 'info',
    text: 'The password hash has a form that the gateway cannot check. The user needs a reset link.',
  },
  operator_proposed: {
    severity: 'decision',
    text: 'The user is an administrator of the source ({role}). No operator is created. Invite one in the dashboard, or create a link with `chat-gateway console-link`.',
  },
  key_blocked: { severity: 'info', text: 'The key {name} is blocked in the source. It is created revoked.' },
  key_limits_lost: {
    severity: 'decision',
    text: 'The key {name} is limited by {limits}. It cannot be carried over, so the key arrives revoked. Remove the limit in the source before the import, or create a new key.',
  },
  period_lengthened: {
    severity: 'decision',
    text: 'The budget renews every {duration}. Here the same amount holds for the period `{period}`, which is stricter. Change the limit if that is too little.',
  },
  request_rates: {
    severity: 'lost',
    text: '{limits} is not taken: the gateway queues requests instead of refusing them. Set max_concurrency of keys or members.',
  },
  spend_not_booked: {
    severity: 'lost',
    text: 'In the limit of {limit} ({period}) at {name}, {spent} are spent so far. {missing} of it belong to no imported key or account, and do not count here. Lower the limit by that amount until the period ends.',
  },
  table_not_taken: { severity: 'lost', text: '{rows} rows are not taken: {what}.' },
  setting_not_taken: { severity: 'lost', text: 'Not taken: {what}.' },

  // Findings of applying a plan to a gateway.
  changed_here: {
    severity: 'decision',
    text: 'The source changed it, but {subject} was also changed here since the last import. It stays as it is here.',
  },
  fallbacks_refused: { severity: 'lost', text: 'The fallbacks of {model} are not possible here. They are left out.' },
  gone_in_source: {
    severity: 'decision',
    text: 'The source does not have it any more. {subject} stays here. Remove or suspend it if it is no longer needed.',
  },
  item_refused: { severity: 'lost', text: 'The gateway refuses it: {problem} It is left out.' },
  key_exists: { severity: 'info', text: 'The key {name} exists here already. Its terms stay as they are here.' },
  key_moved: {
    severity: 'decision',
    text: 'The key {name} belongs to another account in the source now. A key cannot move here. Create a new key in that account.',
  },
  key_stays_revoked: {
    severity: 'decision',
    text: 'The key {name} is active in the source, but revoked here. A revoked key stays revoked. Create a new key.',
  },
  key_without_member: {
    severity: 'decision',
    text: 'The key {name} is left out, because the user for whom it counts is. Import again when the user is here.',
  },
  key_without_account: { severity: 'lost', text: 'The key {name} is left out, because its account is left out.' },
  keys_spent_more: {
    severity: 'decision',
    text: 'Its keys have spent {more} more than the source counts in its limit for the period `{period}`. The spend of the keys counts here. Raise the limit by that amount if the source does not refuse its requests.',
  },
  model_exists: {
    severity: 'decision',
    text: 'The model {model} exists here already. It stays as it is here, and requests use it.',
  },
  removed_here: {
    severity: 'decision',
    text: 'The source changed it, but {subject} was removed here since the last import. It stays removed.',
  },
  routes_without_upstream: {
    severity: 'lost',
    text: '{count} routes of {model} are left out, because their upstreams are left out.',
  },
  reset_needed: {
    severity: 'info',
    text: '{email} has no password here. Create a reset link with `chat-gateway people reset`.',
  },
  user_exists: { severity: 'info', text: '{email} can sign in here already. The password stays, roles are added.' },
} as const satisfies FindingTexts;
