import { snippet } from 'chat-formats/snippets/snippet.ts';
import type { ModelLimits } from './reach-gateway.ts';

/** What an agent needs to reach the gateway. */
export interface Access {
  /** The address of the gateway, without a path. */
  readonly url: string;
  /** The path before `/v1/messages`. */
  readonly messagesPrefix: string;
  readonly key: string;
  readonly model: string;
  /** Without them, agents assume the limits of other models: they compact too late, or never. */
  readonly limits: ModelLimits | undefined;
}

/** A coding agent and the settings that connect it to the gateway for one run. */
export interface LaunchableAgent {
  readonly title: string;
  /** The npm package that installs the program. */
  readonly package: string;
  /** The tag in `supported_endpoint_types` of the models that the agent can use. */
  readonly surface: 'anthropic' | 'openai' | 'openai-response';
  readonly environment: (access: Access) => Readonly<Record<string, string>>;
  /** A variable with the path of a file for this run, for what the agent only reads from a file. */
  readonly settingsFile?: (access: Access) => { readonly variable: string; readonly settings: object } | undefined;
  /** Variables of other providers that would take precedence. */
  readonly unset: readonly string[];
  /** Arguments before those of the user. */
  readonly parameters: (access: Access) => readonly string[];
}

/** By the name of the program. */
export const launchableAgents: Readonly<Record<string, LaunchableAgent>> = {
  claude: {
    title: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    surface: 'anthropic',
    // Claude Code asks before it uses ANTHROPIC_API_KEY, and stores the reply. It uses a token without a question.
    environment: ({ url, messagesPrefix, key, model, limits }) => ({
      ANTHROPIC_BASE_URL: url + messagesPrefix,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      ...(limits && {
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(limits.contextWindow),
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(limits.outputTokens),
      }),
    }),
    unset: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
    parameters: () => [],
  },
  codex: {
    title: 'Codex',
    package: '@openai/codex',
    surface: 'openai-response',
    environment: ({ key }) => ({ GATEWAY_KEY: key }),
    unset: [],
    parameters: ({ url, model }) => {
      const baseUrl = `${url}/v1`;
      const settings = {
        model,
        // Codex then reads the abilities of the model from the catalog.
        'features.api_key_model_discovery': true,
        model_provider: 'gateway',
        'model_providers.gateway.name': 'Chat Gateway',
        'model_providers.gateway.base_url': baseUrl,
        'model_providers.gateway.env_key': 'GATEWAY_KEY',
        'model_providers.gateway.wire_api': 'responses',
        'model_providers.gateway.model_catalog_url': `${baseUrl}/models`,
      };
      // These values are the same in JSON and in TOML.
      return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]);
    },
  },
  opencode: {
    title: 'opencode',
    package: 'opencode-ai',
    surface: 'openai',
    environment: ({ url, key, model, limits }) => ({
      GATEWAY_KEY: key,
      OPENCODE_CONFIG_CONTENT: snippet('opencode', { endpoint: 'chat', baseUrl: `${url}/v1`, model, limits }),
    }),
    unset: [],
    parameters: () => [],
  },
  qwen: {
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    surface: 'openai',
    environment: ({ url, key, model, limits }) => ({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: model,
      ...(limits && { QWEN_CODE_MAX_OUTPUT_TOKENS: String(limits.outputTokens) }),
    }),
    settingsFile: ({ limits }) =>
      limits && {
        variable: 'QWEN_CODE_SYSTEM_DEFAULTS_PATH',
        settings: { model: { generationConfig: { contextWindowSize: limits.contextWindow } } },
      },
    unset: [],
    parameters: () => ['--auth-type', 'openai'],
  },
};
