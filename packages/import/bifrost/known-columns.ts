import type { Row } from '../table-reader.ts';

/** Columns of a table that decides what keys may do: those that the importer reads, and those that limit no key. */
interface KnownTable {
  readonly read: string;
  readonly harmless: string;
}

const versions = 'config_hash created_at updated_at';

/** A value in any other column of these tables may be a limit of a newer version. */
const tables: Readonly<Record<string, KnownTable>> = {
  governance_virtual_keys: {
    read: 'id name value value_hash encryption_status is_active expires_at team_id customer_id rate_limit_id calendar_aligned created_by_user_id',
    harmless: `description ${versions}`,
  },
  governance_virtual_key_provider_configs: {
    read: 'id virtual_key_id provider allowed_models blacklisted_models allow_all_keys rate_limit_id',
    harmless: 'weight',
  },
  governance_virtual_key_provider_config_keys: {
    read: 'table_virtual_key_provider_config_id table_key_id',
    harmless: '',
  },
  governance_teams: {
    read: 'id name customer_id rate_limit_id calendar_aligned',
    // Of the identity provider that a team was synchronised with.
    harmless: `source_id profile config claims ${versions}`,
  },
  governance_customers: { read: 'id name rate_limit_id calendar_aligned', harmless: versions },
  governance_budgets: {
    read: 'id max_limit reset_duration last_reset current_usage override_amount override_mode created_at team_id virtual_key_id provider_config_id model_config_id customer_id',
    // Temporary increases are not taken. A quarter becomes a total.
    harmless:
      'override_cycles_remaining override_cycles_total override_anchor_reset reset_config_json config_hash updated_at',
  },
  governance_model_configs: {
    read: 'id model_name provider scope scope_id calendar_aligned budget_id rate_limit_id',
    harmless: versions,
  },
  governance_rate_limits: {
    read: 'id token_max_limit token_reset_duration request_max_limit request_reset_duration',
    harmless: `token_current_usage token_last_reset request_current_usage request_last_reset ${versions}`,
  },
  governance_pricing_overrides: {
    read: 'id name virtual_key_id provider_id',
    harmless: `scope_kind user_id provider_key_id match_type pattern request_types_json pricing_patch_json ${versions}`,
  },
  config_providers: {
    read: 'id name network_config_json concurrency_buffer_json custom_provider_config_json budget_id rate_limit_id',
    harmless: `proxy_config_json open_ai_config_json send_back_raw_request send_back_raw_response store_raw_request_response status description encryption_status ${versions}`,
  },
  config_keys: {
    read: `id name provider_id provider key_id value models_json blacklisted_models_json weight enabled aliases_json encryption_status
      azure_endpoint vertex_project_id vertex_region vertex_auth_credentials bedrock_access_key bedrock_secret_key
      bedrock_session_token bedrock_region vllm_url ollama_url sgl_url`,
    harmless: `azure_client_id azure_client_secret azure_tenant_id azure_scopes vertex_project_number vertex_force_single_region
      bedrock_arn bedrock_role_arn bedrock_external_id bedrock_role_session_name bedrock_batch_role_arn bedrock_project_id
      bedrock_batch_s3_config_json bedrock_endpoints_json bedrock_mantle_access_key bedrock_mantle_secret_key
      bedrock_mantle_session_token bedrock_mantle_region bedrock_mantle_role_arn bedrock_mantle_external_id
      bedrock_mantle_role_session_name bedrock_mantle_project_id bedrock_mantle_endpoints_json vllm_model_name
      replicate_use_deployments_endpoint use_for_batch_api use_anthropic_endpoints status description ${versions}`,
  },
  config_client: {
    read: 'required_headers_json',
    harmless: `id drop_excess_requests prometheus_labels_json allowed_origins_json allowed_headers_json header_filter_config_json
      metadata_json initial_pool_size enable_logging disable_content_logging retain_content_in_object_storage
      disable_db_pings_in_health dump_errors_in_console_logs log_retention_days enforce_auth_on_inference
      enforce_governance_header enforce_scim_auth dual_credential_conflict_behavior max_request_body_size_mb mcp_agent_depth
      mcp_tool_execution_timeout mcp_code_mode_binding_level mcp_tool_sync_interval mcp_disable_auto_tool_inject
      mcp_enable_temp_token_auth async_job_result_ttl logging_headers_json hide_deleted_virtual_keys_in_filters
      routing_chain_max_depth mcp_external_client_url whitelisted_routes_json allow_per_request_content_storage_override
      allow_per_request_raw_override compat_convert_text_to_chat compat_convert_chat_to_responses compat_should_drop_params
      compat_should_convert_params mcp_server_auth_mode oauth2_server_config_json webhook_config_json
      enable_litellm_fallbacks allow_direct_keys
      ${versions}`,
  },
};

/** Tables of which the importer takes nothing, and which limit no key. Rows of those with a text are reported. */
const otherTables: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    `config_env_keys config_hashes config_log_store config_vector_store config_webhook_endpoints batch_jobs distributed_locks
    feature_flags folders framework_configs governance_config governance_model_parameters governance_model_pricing config_models mcp_library
    mcp_per_user_header_credentials mcp_per_user_header_flows migrations notifications oauth2_authorize_requests oauth2_clients
    oauth2_refresh_tokens oauth_configs oauth_tokens oauth_user_sessions oauth_user_tokens prompt_session_messages prompt_sessions
    prompt_version_messages prompt_versions prompts sessions sidekiq skill_file_blobs skill_files skill_versions skills temp_tokens
    webhook_jobs`
      .split(/\s+/)
      .map((name) => [name, undefined]),
  ),
  config_mcp_clients: 'MCP clients',
  config_plugins: 'plugins',
  governance_virtual_key_mcp_configs: 'MCP tools of virtual keys',
  routing_rules: 'routing rules',
  routing_targets: undefined,
};

/** What a table means here: it is read, not taken, or unknown. */
export function tableUse(table: string): 'read' | 'harmless' | 'unknown' | { readonly lost: string } {
  if (Object.hasOwn(tables, table)) return 'read';
  if (!Object.hasOwn(otherTables, table)) return 'unknown';
  const lost = otherTables[table];
  return lost === undefined ? 'harmless' : { lost };
}

/** Columns that the importer needs and the table does not have: an earlier version wrote it. */
export function missingColumns(present: (table: string) => readonly string[]): readonly string[] {
  return Object.entries(tables).flatMap(([table, { read }]) => {
    const columns = new Set(present(table));
    const missing = read.split(/\s+/).filter((column) => !columns.has(column));
    return missing.map((column) => `${table}.${column}`);
  });
}

export function unknownColumns(table: string, columns: readonly string[]): readonly string[] {
  const { read = '', harmless = '' } = tables[table] ?? {};
  const known = new Set(`${read} ${harmless}`.split(/\s+/));
  return columns.filter((column) => !known.has(column));
}

const unset: ReadonlySet<string> = new Set(['', '0', 'false', 'f', 'null', '[]', '{}']);

/** Whether the cell has a value that could mean something. */
export function isSet(row: Row, column: string): boolean {
  const cell = row[column];
  return cell !== null && cell !== undefined && !unset.has(cell);
}
