import { z } from 'zod';
import { breaks } from '../file/wording.ts';

/** Headers in which clients of other gateways and providers send their key. */
export const keyHeader = z.enum([
  'x-litellm-api-key',
  'x-bf-vk',
  'x-portkey-api-key',
  'api-key',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'x-api-key',
]);

/** A path that replaces `/v1`, without a slash at its end; only the root is `/`. */
export const pathPrefix = z
  .string()
  .max(64)
  .regex(/^\/(?:[\w.-]+(?:\/[\w.-]+)*)?$/, breaks('not_a_base_path'))
  .meta({ title: 'a path', sample: '/api/v1, /openai, /' });

/** A field of request bodies, or a product for all fields that only its clients send. */
export const ignoredField = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\w.-]+$/, breaks('not_a_field_name'))
  .refine((name) => !neededFields.has(name), breaks('field_is_needed'))
  .meta({ title: 'a field', sample: 'litellm, openrouter, guardrails' });

/** Without these fields, a request would be another one. */
const neededFields: ReadonlySet<string> = new Set(
  words(`
    model messages input prompt system instructions stream tools tool_choice
    max_tokens max_completion_tokens max_output_tokens response_format text n stop
  `),
);

/** The fields that clients of each product send to it. They mean nothing to a provider. */
export const productFields: Readonly<Record<string, readonly string[]>> = {
  litellm: words(`
    allowed_openai_params cache caching content_policy_fallbacks context_window_fallbacks custom_llm_provider
    disable_fallbacks drop_params extra_body fallbacks guardrails litellm_call_id litellm_metadata litellm_session_id
    litellm_trace_id max_retries mock_response mock_testing_content_policy_fallbacks mock_testing_context_fallbacks
    mock_testing_fallbacks mock_testing_rate_limit_error mock_timeout mock_tool_calls no-log num_retries prompt_id
    prompt_label prompt_variables request_timeout tags timeout
  `),
  openrouter: words('models plugins provider route session_id trace transforms usage'),
  bifrost: words('extra_params fallbacks'),
  portkey: words('cache config custom_host extra_body provider retry virtual_key'),
  'new-api': words('extra_body group'),
};

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
