import type { FindingTexts } from '../finding-text.ts';

/** Findings of one-api and new-api only. */
export const oneApiFindings = {
  decision: {
    json_unreadable: '`{field}` is not a JSON object, so nothing of it is taken. Correct it in the source.',
    prices_not_given:
      'The database does not say all prices, and a price is never guessed. {count} models without a price are left out. Save {reply} of the running instance as a .json file, and name it after the database.',
    price_expression:
      'The price is an expression (billing_mode tiered_expr) that tiers by prompt length cannot express. The model is left out. Add it with `chat-gateway models add`, with tiers.',
    prices_differ:
      'Channels of different types have different prices for this model. It has the highest one. A model here has one price.',
    model_suffix:
      'The source turns the end of the name into a setting of {model}. Here the name is a route to {model} without that setting: clients set the effort of thinking in their requests.',
    routes_of_groups:
      'Different groups reach {count} models through different channels, such as {model}. Here every account that may use a model uses all its routes.',
    address_missing:
      'The channel has no address ("{address}") that its type needs. The upstream is disabled. Set `base_url`.',
    address_unusable:
      'The address "{address}" cannot be taken over. The upstream is disabled. Set `base_url` to the part before /chat/completions.',
    channel_keys_apart:
      'Further keys of the channel are left out: {count}. An upstream of this kind has one credential and one region. Add an upstream for each.',
    factor_unreadable: 'The ratio "{ratio}" of the group is no number from 0 to 999. The factor of the package is 1.',
    package_models_cut: 'The group has {count} models, more than a package can list. The package allows all models.',
    quota_too_large:
      '{field} is {quota} units of quota, more than the gateway can book. It is {amount}. Set what is meant.',
    quota_negative: 'The balance is {amount}. Requests are refused until a payment or a credit makes it positive.',
    subscription_credited:
      'Of the subscription "{name}", {amount} are left until {until}. They are part of the balance here, which does not end: take back the rest then.',
    subscription_group:
      'Because of the subscription "{name}", the account has the package {group}. In the source it has {after} after {until}. Change the package then.',
    subscription_unlimited:
      'The subscription "{name}" has no limit until {until}. A prepaid account pays from its balance here. Credit it, or change its billing to postpaid with a limit.',
    key_models_none: 'The key may use no model in the source. It is imported as revoked.',
    key_addresses_unreadable:
      'These addresses cannot be read: {addresses}. The key keeps the others; without any, it is revoked.',
    key_group_lost:
      'The key uses the group {group} with the factor {factor}, its user {own} with {ownFactor}. Here it is charged as {own}. Give it an account of the package {group} to keep its price.',
    key_group_auto:
      'The key uses the group `auto`: the source tries several groups. Here it uses the package of its account, {own}.',
  },
  lost: {
    model_routes_lost:
      'Channels of this model that are not among its routes: {count}. A pass-through endpoint needs a provider of the chat-completions format, and a model has at most 64 routes.',
    channel_setting_not_taken:
      'The channel uses {setting}, which is not taken. Requests reach the provider without it.',
    sign_in_lost: 'Sign-in with {providers} is not taken (users: {count}). These users need a reset link.',
    subscription_renews:
      'The subscription "{name}" renews its {amount} until {until} ({period}). Only the rest of the current period is taken. Credit the account, or keep --follow running.',
    invitation_quota_lost:
      'Invitation quota of {amount} in total is not taken (users: {count}): the users have not turned it into balance.',
    access_tokens_lost: 'Access tokens for the API of the source are not taken (users: {count}).',
    key_value_unusable: 'The key has no value that a client can send. It is left out.',
    key_owner_missing: 'The owner of the key, user {user}, does not exist or is deleted. It is left out.',
    codes_not_taken:
      '{count} open redemption codes of {amount} each are not taken: codes have another form here. Create new ones with `chat-gateway codes create --count {count} --amount {amount} --note moved`, and send them to the customers.',
  },
  guessed: {
    price_expression_read: 'The price is read from the expression {expression}. Compare it with charges of the source.',
    completion_price_assumed:
      'The source does not say the price of generated tokens. It is {output} per million, as compiled into one-api 0.6.11. Check it.',
    model_endpoint_guessed:
      'By its name, this model is offered on the endpoint {endpoint} only. Change `endpoints` and `surfaces` if that is wrong.',
  },
  info: {
    channel_keys_off: 'Keys of the channel that are off in the source are left out: {count}.',
    channel_off_by_itself: 'The source has switched the channel off after failures. The upstream is disabled.',
    factor_rounded:
      'The ratio {ratio} of the group has more than six places. The factor of the package is rounded up to {rounded}.',
    quota_rounded: '{field} is {quota} units of quota, no whole number of nano-units. It is rounded down to {amount}.',
    name_replaced:
      'The name "{name}" has characters that names do not have here, or is there twice. It becomes "{used}".',
    rows_deleted: 'Rows that the source keeps as deleted are left out: {rows}.',
    key_off: 'The key is off in the source. It is imported as revoked.',
    key_exhausted: 'The quota of the key is used up in the source. It is imported with a spend cap that is reached.',
    key_group_narrowed:
      'The key uses the group {group}, its user {own}. Both have the same factor. The key is limited to the models of {group}.',
  },
} as const satisfies FindingTexts;
