/**
 * The errors that only commands have, each with the next step. Endpoints refuse the rest. The key is the `reason` that
 * programs read from `--json`. The names in braces are its `params`. Do not rename a released key. `next` starts with a
 * verb or names a command.
 */
export const cliReasons = {
  // Names that are not in the store, or are ambiguous.
  organisation_not_found: {
    text: 'There is no organisation "{organisation}".',
    next: '`chat-gateway organisations list` shows them.',
  },
  invalid_limit: {
    text: '"{value}" is not a limit.',
    next: 'Write an amount and a period, such as 100/month, 10/day@0.8 or 500/total.',
  },
  account_not_found: {
    text: 'There is no account "{account}".',
    next: '`chat-gateway accounts list` shows them.',
  },
  key_not_found: { text: 'There is no key "{key}".', next: '`chat-gateway keys list` shows them.' },
  key_ambiguous: { text: '"{key}" matches {count} keys.', next: 'Pass one of these IDs: {ids}' },
  request_not_found: {
    text: 'There is no request "{request}" in {store}.',
    next: 'Give the whole id from the x-gateway-request-id header or from the response. A request is stored when it ends; requests with an invalid key (401) are never stored. `chat-gateway requests list` shows the stored ones.',
  },
  token_not_found: { text: 'There is no token "{token}".', next: '`chat-gateway {command} list` shows them.' },
  token_ambiguous: { text: '"{token}" matches {count} tokens.', next: 'Pass one of these IDs: {ids}' },
  user_not_found: {
    text: 'There is no user with the e-mail address "{email}".',
    next: '`chat-gateway people list` shows the users.',
  },
  webhook_not_found: {
    text: 'There is no webhook endpoint "{webhook}".',
    next: '`chat-gateway webhooks list` shows them.',
  },
  webhook_ambiguous: { text: '"{webhook}" matches {count} webhook endpoints.', next: 'Pass one of these IDs: {ids}' },

  account_ambiguous: {
    text: 'There are several accounts: {names}.',
    next: 'Pass --account NAME for the account that pays.',
  },
  account_missing: { text: 'There is no account yet.', next: 'Create one: chat-gateway accounts create NAME' },
  agent_not_installed: {
    text: 'The program `{agent}` is not installed.',
    next: 'Install it: npm install --global {package}',
  },
  agent_not_started: {
    text: 'The program `{agent}` cannot be started: {problem}.',
    next: 'Check the first file of this name on PATH, and that it may be executed.',
  },
  launch_without_store: {
    text: 'There is no store in {data}, so no key can be created.',
    next: 'Set GATEWAY_KEY to a key of the gateway at {url}, or name its store with --data, --database or --config.',
  },
  model_not_for_agent: {
    text: '{agent} cannot use the model "{model}" with this key.',
    next: 'Use one of: {models}',
  },
  no_model_for_agent: {
    text: 'The key may use no model that {agent} can use.',
    next: '`chat-gateway models list` shows the models. Check the models of the key, the package and the site.',
  },
  unknown_agent: { text: 'The agent "{agent}" is not known.', next: 'Use one of: {names}.' },

  invalid_command_line: {
    text: 'The command line is wrong: {problem}',
    next: 'Add --help to see the commands and the options.',
  },

  // Values that an argument or an option cannot have. `problem` is the rule that the value breaks.
  invalid_column_field: {
    text: '--column names the field "{field}", which does not exist.',
    next: 'Use these fields: {fields}.',
  },
  invalid_cost: {
    text: '--cost "{value}" does not have the form UPSTREAM=INPUT/OUTPUT.',
    next: 'Pass, for example, --cost acme=0.50/2.00 or --cost acme=free.',
  },
  invalid_database_address: {
    text: '{setting} is not a PostgreSQL URL.',
    next: 'Use postgres://USER@HOST:PORT/NAME, with the password after the user or in PGPASSWORD.',
  },
  invalid_duration: { text: '"{value}" {problem}.' },
  invalid_mapping: {
    text: '{option} "{value}" does not have the form NAME=VALUE.',
    next: 'Pass pairs with commas between them, such as {option} one=1,two=2.',
  },
  invalid_number: { text: '{option} "{value}" must be a whole number from {min} to {max}.' },
  invalid_time: {
    text: '"{value}" is not a time.',
    next: 'Use a time before now (30m, 7d), a day (2026-11-01) or a time (2026-11-01T08:00Z).',
  },
  invalid_url: { text: '"{url}" is not a URL.', next: 'Write it as {example}.' },
  invalid_workers: {
    text: '--workers "{value}" is not a number of processes.',
    next: 'Give a whole number from 1 to 256, or `auto`.',
  },
  secret_in_api_key: {
    text: 'The value of --api-key is a secret, and other processes can read the command line.',
    next: "Pass --api-key - and pipe the secret in, or --api-key '${NAME}' to read it from the gateway's environment.",
  },
  secret_in_setting: {
    text: 'The value of --set {field} is a secret, and other processes can read the command line.',
    next: "Pass --set '{field}=${NAME}' to read it from the gateway's environment.",
  },
  unknown_setting: {
    text: '--set {field} is not a setting, or has no value.',
    next: 'Pass --set FIELD=VALUE with one of these fields: {fields}.',
  },

  // Options that are missing or that contradict each other.
  admin_token_missing: {
    text: 'No admin token was given.',
    next: 'Create one with `chat-gateway admin-tokens create --name NAME --role read-only`, then set {variable} or pass --token.',
  },
  after_with_order: {
    text: '--after works with --order newest and oldest only, not with {order}.',
    next: 'Use --limit to list more requests at once.',
  },
  bodies_not_selected: {
    text: '`bodies delete` needs either --request or --key.',
    next: 'Pass --request ID or --key KEY.',
  },
  config_file_missing: {
    text: 'No configuration file was given, and there is no gateway.yaml in this folder.',
    next: 'Pass one: chat-gateway check FILE',
  },
  copy_target_missing: { text: '--to does not name a database.', next: 'Pass --to postgres://USER@HOST:PORT/NAME.' },
  cost_without_route: {
    text: '--cost names the upstream "{upstream}", but no --route uses it.',
    next: 'Add --route {upstream}, or leave out this --cost.',
  },
  no_changes: { text: 'No changes were given.', next: 'Pass at least one option, such as {example}.' },
  price_unknown: {
    text: 'No price is known for {models}.',
    next: 'Leave them out, and add each with its price: `chat-gateway models add`.',
  },
  price_list_currency: {
    text: 'Price lists are in {listed}, but the currency of this gateway is {currency}.',
    next: 'Convert the prices, and set them with `chat-gateway models add` or in the configuration file.',
  },
  price_list_invalid: {
    text: '{file} is not a price list.',
    next: 'Name a JSON file in the form of models.dev (`api.json`) or of LiteLLM (`model_prices_and_context_window.json`).',
  },
  price_list_provider_unknown: {
    text: '{file} has no entries of the provider "{provider}".',
    next: 'Name one of its providers: {providers}',
  },
  price_list_too_large: {
    text: '{file} has {bytes} bytes. A price list may have at most {max}.',
    next: 'Name a price list.',
  },
  price_list_unreadable: { text: 'The price list cannot be read: {problem}', next: 'Check the path.' },
  stdin_empty: { text: 'Standard input is empty.', next: 'Pipe the key in: … --api-key - < FILE' },
  secret_in_option: {
    text: 'The value of --secret is a secret, and other processes can read the command line.',
    next: 'Pass --secret - and pipe the key in.',
  },
  import_incomplete: {
    text: 'Account, name and one of --secret - and --sha256 are needed.',
    next: 'Give all three, or --file PATH with a JSON object a line that has them.',
  },
  import_one_key: {
    text: 'Standard input has {count} keys.',
    next: 'Pipe in one key. For several, give --file - with a JSON object a line.',
  },
  stdin_too_long: {
    text: 'Standard input is too long for keys: it has more than {max} bytes.',
    next: 'Pipe in only the keys, one per line.',
  },

  // The usage export of a provider.
  invalid_key_index: {
    text: '"{value}" is not the index of a credential, for the key "{key}".',
    next: 'Pass --keys NAME=INDEX for each key, with the position of the credential in the upstream, from 0.',
  },
  invoice_column_missing: {
    text: '{file} has no known column for `{field}`.',
    next: 'Pass --column {field}=NAME with one of these columns: {columns}. If none fits, export the usage by day and model.',
  },
  invoice_column_unknown: {
    text: '{file} has no column "{name}" for `{field}`.',
    next: 'Its columns are: {columns}.',
  },
  invoice_currencies: {
    text: '{file} has costs in {first} and in {second}.',
    next: 'Compare a file for each currency.',
  },
  invoice_days_not_utc: {
    text: 'The days of {file} are not UTC days: one begins at {value}.',
    next: 'Export the usage in UTC, or by hour.',
  },
  invoice_empty: {
    text: '{file} has no usage, or none of the keys in --keys.',
    next: 'Check the file, and the names of the keys in it.',
  },
  invoice_incomplete: {
    text: '{file} is only one page of the usage: its `has_more` is true.',
    next: 'Fetch the other pages too, and put all of them into one list.',
  },
  invoice_not_json: { text: '{file} begins like JSON, but is not valid JSON.', next: 'Export the file again.' },
  invoice_quote_open: {
    text: 'Row {row} of {file} has a cell whose quotes do not end.',
    next: 'Correct the row, or export the file again.',
  },
  invoice_row_too_long: {
    text: 'Row {row} of {file} has {cells} cells, but the file has {columns} columns.',
    next: 'Put numbers with separators, such as 1,200, into quotes.',
  },
  invoice_too_large: {
    text: '{file} has {bytes} bytes. A usage export may have at most {max}.',
    next: 'Export fewer days, or the usage by day instead of by minute.',
  },
  invoice_too_many_lines: {
    text: '{file} has {lines} different days, models and credentials. At most {max} can be compared at once.',
    next: 'Export fewer days.',
  },
  invoice_unreadable: { text: '{file} cannot be read: {problem}', next: 'Check the path of the file.' },
  invoice_value_invalid: {
    text: 'Row {row} of {file}: "{value}" in the column {column} is not {needed}.',
    next: 'Correct the row, or name another column with --column.',
  },

  // Imports from other gateways.
  import_currency: {
    text: 'The source counts in US dollars, but the currency of this gateway is {currency}.',
    next: 'Set `currency: USD`, or import into a gateway of its own.',
  },
  import_databases: {
    text: '{count} sources are databases. An import reads one.',
    next: 'Name one database, and any number of .yaml and .json files.',
  },
  import_unreadable: { text: '{problem}', next: '{fix}' },
  salt_key_not_set: {
    text: 'The environment variable {name} is not set.',
    next: 'Set it to LITELLM_SALT_KEY (else the master key) of LiteLLM, or to the encryption key of Bifrost.',
  },

  // The configuration file.
  config_emptied: {
    text: '{file} no longer has any {sections}, so requests that used them would fail.',
    next: 'Restore them, or start the gateway with --allow-empty to allow a file that removes all of them.',
  },
  config_folder_invalid: {
    text: '`data` in {file} does not name a folder.',
    next: '`chat-gateway check {file}` shows what is wrong with the file.',
  },
  config_invalid: {
    text: '{file} cannot be used:\n\n{problems}',
    next: 'Fix the file and try again. Nothing was started or changed.',
  },
  config_not_yaml: {
    text: '{file} is not valid YAML.',
    next: '`chat-gateway check {file}` shows what is wrong with the file.',
  },
  config_unreadable: {
    text: 'The configuration file cannot be read: {problem}',
    next: 'Check the path given with --config.',
  },
  config_variable_not_set: {
    text: '`{setting}` in {file} names an environment variable that is not set here.',
    next: 'Set it, or run `chat-gateway check {file}` to see which one it is.',
  },
  secret_missing: {
    text: 'A shared database needs `secret` in the configuration file.',
    next: 'Add `secret: ${GATEWAY_SECRET}` to it, and set that variable on every machine to the same value of at least 32 random characters.',
  },

  // The store.
  store_damaged: { text: 'The store in {data} is damaged: {damage}.', next: '{fix}.' },
  backup_needs_embedded_store: {
    text: 'The store is {store}, but this command works only with embedded stores.',
    next: 'Use {tool}. docs/operations.md has the commands.',
  },
  copy_needs_embedded_store: {
    text: 'The store is {store}, but this command copies only embedded stores.',
    next: 'Name the folder of the embedded store with --data DIR.',
  },
  folder_exists: { text: '{folder} already exists.', next: 'Name a folder that does not exist yet.' },
  store_never_served: {
    text: 'No gateway has run with the data folder {data}, so a link created there would not work.',
    next: 'Name its folder with --data DIR, or its configuration file with --config FILE.',
  },
  store_not_found: {
    text: 'There is no store in {data} yet.',
    next: 'Start the gateway, which creates it, or name the right folder with --data DIR or --config FILE.',
  },
  store_not_opened: {
    text: 'The store in {store} cannot be opened: {problem}',
    next: 'Name the right store with --data DIR, --database ADDRESS or --config FILE, and check that you can write to it.',
  },
  // The error text of the store about its folder, disk or database.
  store_unusable: { text: '{problem}', next: '{fix}' },

  // Addresses of this gateway, and of gateways that commands send requests to.
  admin_token_rejected: {
    text: 'The gateway at {url} rejected the admin token.',
    next: 'Create a token for this gateway with `chat-gateway admin-tokens create`.',
  },
  deployment_model_fails: {
    text: 'The model "{model}" of {url} does not answer a simple request: {problem}',
    next: 'Check the upstream of the model, or name another model with --model.',
  },
  deployment_refuses_key: {
    text: '{url} refuses the key (status {status}).',
    next: 'Check the key, and that the address is right.',
  },
  deployment_unreachable: {
    text: '{url} does not respond: {problem}',
    next: 'Check that the deployment is running and that the address is right.',
  },
  key_rejected: {
    text: 'The gateway at {url} refused the key (status {status}).',
    next: 'Check that the key, or --config, --data or --database, belongs to this gateway.',
  },
  not_a_gateway: {
    text: 'The server at {url} is not a Chat Gateway.',
    next: 'Pass the address of the gateway without a path: --url http://HOST:PORT',
  },
  gateway_unreachable: {
    text: '{url} does not respond.',
    next: 'Check that the gateway is running and that the address is right.',
  },
  health_port_taken: {
    text: 'The health port {port} on {host} is used by another program.',
    next: 'Stop that program, or choose another `listen.health_port`.',
  },
  port_taken: {
    text: 'Port {port} on {host} is used by another program.',
    next: 'Stop that program, or choose another port: chat-gateway serve --port {other}',
  },
  unexpected_response: {
    text: '{url} returned status {status}, but not the response of a gateway of this version.',
    next: 'Check the address, and that the gateway and this command have the same version.',
  },
  worker_rejected_config: { text: '{problem}' },
} as const satisfies Record<string, { readonly text: string; readonly next?: string }>;

export type CliReason = keyof typeof cliReasons;

/** Replaces `next` if a name was probably mistyped. */
export const didYouMean = 'Did you mean `{closest}`?';
