import { decision, guessed, info, lost, type FindingTexts } from '../finding-text.ts';

/** Findings of LiteLLM only. */
export const litellmFindings = {
  alias_not_taken: decision(
    'The alias "{alias}" of "{model}" is not taken: the model is missing, or the name is in use.',
  ),
  access_group_models: lost(
    'The access groups of the key {name} have models that its team does not have: {models}. A key has no more models than its account here. Add them to the package of the account, or give the key an account of its own.',
  ),
  account_limits_lost: decision(
    'The account {name} is limited by {limits}. It cannot be carried over, so the account arrives suspended. Remove the limit in the source, or resume the account with `chat-gateway accounts resume`: it has no such limit then.',
  ),
  dashboard_keys: info('{count} keys of dashboard sessions are left out.'),
  deployment_blocked: info('A deployment of {model} is blocked. It is left out.'),
  deployment_encrypted: decision(
    'The deployment of {model} is encrypted and does not open. It is left out. Pass --salt-key-env with the right key.',
  ),
  deployment_incomplete: lost('The deployment has no `model_name` or no `litellm_params.model`. It is left out.'),
  fallback_circle: lost(
    'The fallback from {model} to {other} is left out: it would close a circle, or the model has eight already.',
  ),
  fallback_unknown: lost('The fallback from {model} to {other} is left out: a model is missing.'),
  key_team_gone: decision(
    'The key {name} belongs to the team {team}, which does not exist. It belongs to {account} here, without the limits of a team. Revoke it if it is no longer needed.',
  ),
  key_unreadable: lost('The key {name} is stored in an unknown form. It is left out. Create a new key.'),
  master_key: info(
    'The master key is no key of a client. Create an admin token with `chat-gateway admin-tokens create`.',
  ),
  member_terms_lost: lost(
    'The user has limits in the team {team}: {limits}. They are not taken, because the user has no e-mail address or does not exist. The keys of the user in the team arrive revoked.',
  ),
  member_increase_left_out: decision(
    'The budget of the user in a team is {increase} larger until {until}. Limits cannot shrink at a time here, so it is not. Change the limit of the member until then.',
  ),
  model_mode: lost(
    'Models of the mode {mode} are left out. Add the model with `chat-gateway models add` and its `endpoints`.',
  ),
  own_aliases: lost(
    'Aliases of its own are not taken: {names}. Aliases belong to models here. Add them with `chat-gateway models`.',
  ),
  deployment_prices_differ: decision(
    'Its {count} deployments have different prices. A model has one price here: that of the first deployment.',
  ),
  project_label: lost(
    'The key {name} belongs to the project {project}. Projects are not taken; the key has the models that the key and the project have.',
  ),
  proxy_budget: info(
    'The budget of {amount} of the whole proxy is that of the organisation {organisation}, which has all accounts without one.',
  ),
  routes_left_out: lost('A model has at most 64 routes. {count} deployments are left out.'),
  sso_binding: lost(
    'The sign-in with an identity provider is not taken. The user signs in with the same e-mail address.',
  ),
  temporary_budget_ends: decision(
    'The budget of the key {name} is {increase} larger until {until}, and it has spent more than {cap}. The key has the larger cap and expires then. Change both before it expires.',
  ),
  temporary_budget_left_out: decision(
    'The budget of the key {name} is {increase} larger until {until}. A cap cannot shrink at a time here, so it is {cap}. Raise it until then if the key needs more.',
  ),
  time_zone_unknown: guessed('The time zone "{zone}" is not known. UTC is used.'),
  user_inactive: info(
    'The identity provider has switched the user off. The user is left out, and the keys of the user are created revoked.',
  ),
  window_spend_unknown: guessed(
    'The source has no row with the spend of the budget window {duration}. All spend of the key or team, {spent}, counts in it.',
  ),
  wildcard_model: decision(
    'The wildcard {name} is not taken. {count} models that keys or teams list are created. Add further models with `chat-gateway models add`.',
  ),
} as const satisfies FindingTexts;
