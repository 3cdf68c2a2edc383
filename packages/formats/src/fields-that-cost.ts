/**
 * How a field of a request can make a provider spend. `priced`: it has a price, a bound or a check of its own.
 * `model`: it names a model. `stored`: it names something that the provider stores. `right`: it uses a right of the
 * operator's account there, or tells about other requests. `harmless`: none of these.
 */
export type FieldCost = 'priced' | 'model' | 'stored' | 'right' | 'harmless';

/** The formats whose providers get fields of the client unchanged. */
export type SpendingFormat = 'messages' | 'responses' | 'chat-completions';

/**
 * Paths as words; `*.name` is that name inside any field. A path also says what its members cost, unless the table has
 * paths of members: then it has all of them.
 */
export type FieldTable = Readonly<Record<FieldCost, string>>;

const each = (places: readonly string[], names: string): string =>
  places.flatMap((place) => names.split(' ').map((name) => `${place}.${name}`)).join(' ');

/** Content blocks may contain blocks: a result of a tool, a document, and both. */
const blocks = ['', '.content[]', '.source.content[]', '.content[].source.content[]'].map(
  (inner) => `messages[].content[]${inner}`,
);

/** A tool may be defined in the middle of a conversation. */
const changes = ['messages[].content[]', 'messages[].content[].tool_changes[]'];
const messagesTools = ['tools[]', ...changes.map((change) => `${change}.tool.definition`)];
const responsesTools = ['tools[]', 'input[].tools[]', 'tools[].tools[]', 'input[].tools[].tools[]'];

/** Read from `@anthropic-ai/sdk` 1.10.0 (beta) and `openai` 7.55.0. `npm run fields` compares it with those installed. */
export const fieldsThatCost: Readonly<Record<SpendingFormat, FieldTable>> = {
  messages: {
    priced: `
      max_tokens service_tier speed inference_geo context_management compaction fallback_credit_token mcp_servers
      cache_control system *.cache_control *.caching *.max_uses *.max_tokens *.max_content_tokens *.mcp_server_name
      fallbacks[].output_config fallbacks[].thinking fallbacks[].speed fallbacks[].service_tier
    `,
    model: `fallbacks fallbacks[].model ${each(messagesTools, 'model')}`,
    stored: `
      container container.id container.skills[].skill_id thread
      ${each(blocks, 'file_id source.file_id')}
    `,
    right: 'billing_policy user_profile_id workspace_id tags diagnostics.previous_message_id',
    harmless: `
      model betas metadata output_config output_format safeguards stop_sequences stream temperature thinking tool_choice
      top_k top_p
      *.text *.type *.data *.media_type *.url *.citations *.transformations *.context *.title *.signature *.thinking
      *.id *.input *.name *.caller *.toolset_name *.tool_use_id *.tool_name *.tabs *.state_changes *.is_error
      *.encrypted_content *.page_age *.error_code *.content *.retrieved_at *.stop_reason *.return_code *.stderr *.stdout
      *.encrypted_stdout *.error_message *.file_type *.num_lines *.start_line *.total_lines *.is_file_update *.lines
      *.new_lines *.new_start *.old_lines *.old_start *.tool_references *.server_name *.tools *.from *.to *.trigger
      *.role *.clear_at *.output_config *.version *.input_schema *.allowed_callers *.defer_loading *.description
      *.eager_input_streaming *.input_examples *.strict *.configs *.display_height_px *.display_width_px
      *.display_number *.enable_zoom *.max_characters *.allowed_domains *.blocked_domains *.user_location *.url_sources
      *.use_cache *.response_inclusion *.default_config
    `,
  },
  responses: {
    priced: `
      service_tier instructions max_output_tokens max_tool_calls prompt_cache_options.ttl prompt_cache_options.mode
      prompt_cache_options.prewarm prompt_cache_retention context_management reasoning previous_response_id
      conversation prompt moderation background store *.prompt_cache_breakpoint *.server_url *.connector_id *.tunnel_id
      *.authorization *.headers
    `,
    model: each(responsesTools, 'model svg.model'),
    stored: `
      input[].content[].file_id input[].output[].file_id input[].environment.container_id
      ${each(responsesTools, 'container container.file_ids[] environment.container_id environment.file_ids[]')}
      ${each(responsesTools, 'environment.skills[].skill_id vector_store_ids[] input_image_mask.file_id')}
    `,
    right: 'access_programs multi_agent prompt_cache_options.comparison_response_id',
    harmless: `
      image include metadata model parallel_tool_calls prompt_cache_key safety_identifier stream stream_options
      temperature text tool_choice top_logprobs top_p truncation user betas
      *.text *.type *.detail *.image_url *.file_data *.file_url *.filename *.role *.phase *.status *.id *.annotations
      *.logprobs *.refusal *.queries *.results *.call_id *.pending_safety_checks *.action *.actions
      *.acknowledged_safety_checks *.arguments *.name *.async *.caller *.namespace *.execution *.memory_limit
      *.network_policy *.reasoning *.version *.description *.source *.path *.summary *.encrypted_content *.result
      *.background *.error *.output_format *.quality *.revised_prompt *.size *.svg_usage *.code *.container_id *.outputs
      *.max_output_length *.operation *.server_label *.input_schema *.approval_request_id *.approve *.reason *.input
      *.fingerprint *.agent *.author *.recipient *.parameters *.strict *.allowed_callers *.defer_loading
      *.output_schema *.filters *.max_num_results *.ranking_options *.display_height *.display_width
      *.external_web_access *.search_context_size *.user_location *.allowed_tools *.require_approval
      *.server_description *.complexity *.frame_count *.frame_duration_ms *.input_fidelity *.moderation
      *.output_compression *.partial_images *.format *.search_content_types
    `,
  },
  'chat-completions': {
    priced: `
      service_tier max_tokens max_completion_tokens n prompt_cache_options prompt_cache_retention modalities prediction
      reasoning_effort web_search_options *.prompt_cache_breakpoint
    `,
    model: `
      moderation.model models[] fallbacks[] fallbacks[].model
      extra_body.models[] extra_body.fallbacks[] extra_body.fallbacks[].model
    `,
    stored: 'messages[].content[].file.file_id audio.voice.id',
    right: '',
    harmless: `
      frequency_penalty function_call functions logit_bias logprobs metadata model parallel_tool_calls presence_penalty
      prompt_cache_key response_format safety_identifier seed stop store stream stream_options temperature tool_choice
      tools top_logprobs top_p user verbosity
      *.text *.type *.role *.name *.image_url *.input_audio *.file_data *.filename *.refusal *.function_call
      *.tool_calls *.tool_call_id *.format *.policy *.audio
    `,
  },
};

/** The fields with which a request uses rights of the operator. An operator allows them for a model by name. */
export const rightFields = [
  'access_programs',
  'billing_policy',
  'diagnostics',
  'multi_agent',
  'prompt_cache_options',
  'tags',
  'user_profile_id',
  'workspace_id',
] as const;
