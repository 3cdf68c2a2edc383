import type { FindingTexts } from '../finding-text.ts';

/** Findings of LiteLLM only. */
export const litellmFindings = {
  decision: {
    alias_not_taken: 'The alias "{alias}" of "{model}" is not taken: the model is missing, or the name is in use.',
    account_limits_lost:
      'The account {name} is limited by {limits}. It cannot be carried over, so the account arrives suspended. Remove the limit in the source, or resume the account with `chat-gateway accounts resume`: it has no such limit then.',
    deployment_encrypted:
      'The deployment of {model} is encrypted and does not open. It is left out. Pass --salt-key-env with the right key.',
    key_team_gone:
      'The key {name} belongs to the team {team}, which does not exist. It belongs to {account} here, without the limits of a team. Revoke it if it is no longer needed.',
    member_increase_left_out:
      'The budget of the user in a team is {increase} larger until {until}. Limits cannot shrink at a time here, so it is not. Change the limit of the member until then.',
    deployment_prices_differ:
      'Its {count} deployments have different prices. A model has one price here: that of the first deployment.',
    temporary_budget_ends:
      'The budget of the key {name} is {increase} larger until {until}, and it has spent more than {cap}. The key has the larger cap and expires then. Change both before it expires.',
    temporary_budget_left_out:
      'The budget of the key {name} is {increase} larger until {until}. A cap cannot shrink at a time here, so it is {cap}. Raise it until then if the key needs more.',
    wildcard_model:
      'The wildcard {name} is not taken. {count} models that keys or teams list are created. Add further models with `chat-gateway models add`.',
  },
  lost: {
    access_group_models:
      'The access groups of the key {name} have models that its team does not have: {models}. A key has no more models than its account here. Add them to the package of the account, or give the key an account of its own.',
    deployment_incomplete: 'The deployment has no `model_name` or no `litellm_params.model`. It is left out.',
    fallback_circle:
      'The fallback from {model} to {other} is left out: it would close a circle, or the model has eight already.',
    fallback_unknown: 'The fallback from {model} to {other} is left out: a model is missing.',
    key_unreadable: 'The key {name} is stored in an unknown form. It is left out. Create a new key.',
    member_terms_lost:
      'The user has limits in the team {team}: {limits}. They are not taken, because the user has no e-mail address or does not exist. The keys of the user in the team arrive revoked.',
    model_mode:
      'Models of the mode {mode} are left out. Add the model with `chat-gateway models add` and its `endpoints`.',
    own_aliases:
      'Aliases of its own are not taken: {names}. Aliases belong to models here. Add them with `chat-gateway models`.',
    project_label:
      'The key {name} belongs to the project {project}. Projects are not taken; the key has the models that the key and the project have.',
    routes_left_out: 'A model has at most 64 routes. {count} deployments are left out.',
    sso_binding: 'The sign-in with an identity provider is not taken. The user signs in with the same e-mail address.',
  },
  guessed: {
    time_zone_unknown: 'The time zone "{zone}" is not known. UTC is used.',
    window_spend_unknown:
      'The source has no row with the spend of the budget window {duration}. All spend of the key or team, {spent}, counts in it.',
  },
  info: {
    dashboard_keys: '{count} keys of dashboard sessions are left out.',
    deployment_blocked: 'A deployment of {model} is blocked. It is left out.',
    master_key: 'The master key is no key of a client. Create an admin token with `chat-gateway admin-tokens create`.',
    proxy_budget:
      'The budget of {amount} of the whole proxy is that of the organisation {organisation}, which has all accounts without one.',
    user_inactive:
      'The identity provider has switched the user off. The user is left out, and the keys of the user are created revoked.',
  },
} as const satisfies FindingTexts;
