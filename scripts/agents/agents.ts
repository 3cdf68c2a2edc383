import { type Access, launchableAgents } from '../../src/cli/launch/agents.ts';
import { agentLimits } from './agent-gateway.ts';
import { snippet } from 'chat-formats/snippets/snippet.ts';

/** The address, key and model that an agent uses. */
export interface Gateway {
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

/** A coding agent: its package, and how to run it on a task without user input. */
export interface Agent {
  readonly name: string;
  readonly package: string;
  readonly surface: 'messages' | 'chat completions' | 'responses';
  /** Files that the agent needs in its home folder, by relative path. */
  files(gateway: Gateway): Readonly<Record<string, string>>;
  environment(gateway: Gateway, home: string): Readonly<Record<string, string>>;
  /** The command and its parameters. The program is in `node_modules/.bin` of the installation folder. */
  command(prompt: string, gateway: Gateway): readonly [program: string, ...parameters: string[]];
  /** A command that shows the context window that the agent uses, and what it shows. */
  readonly windowCommand?: {
    readonly words: readonly [program: string, ...parameters: string[]];
    readonly shows: string;
  };
}

const { claude, qwen } = launchableAgents;
/** The file that `launch` writes for Qwen Code, in its home folder. */
const qwenDefaults = '.qwen/defaults.json';

function accessOf(gateway: Gateway): Access {
  return { ...gateway, messagesPrefix: '/anthropic', limits: agentLimits };
}

export const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code@2.1.327',
    surface: 'messages',
    files: () => ({}),
    environment: (gateway) => ({
      ...claude?.environment(accessOf(gateway)),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    command: (prompt) => ['claude', '-p', prompt, '--allowedTools', 'Read,Write'],
    windowCommand: { words: ['claude', '-p', '/context'], shows: '/ 100k' },
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code@0.24.4',
    surface: 'chat completions',
    files: (gateway) => ({ [qwenDefaults]: JSON.stringify(qwen?.settingsFile?.(accessOf(gateway))?.settings) }),
    environment: (gateway, home) => ({
      ...qwen?.environment(accessOf(gateway)),
      QWEN_CODE_SYSTEM_DEFAULTS_PATH: `${home}/${qwenDefaults}`,
    }),
    command: (prompt) => ['qwen', '--auth-type', 'openai', '--yolo', prompt],
    windowCommand: { words: ['qwen', '--auth-type', 'openai', '-p', '/context'], shows: 'Context window: 100.0k' },
  },
  {
    name: 'Codex',
    package: '@openai/codex@0.169.0',
    surface: 'responses',
    files: ({ url, model }) => ({
      '.codex/config.toml': snippet('Codex', { endpoint: 'responses', baseUrl: `${url}/v1`, model }),
    }),
    environment: ({ key }) => ({ GATEWAY_KEY: key }),
    command: (prompt, { model }) => [
      ...(['codex', 'exec', '--model', model, '--skip-git-repo-check'] as const),
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
  },
  opencode('@ai-sdk/openai-compatible', 'chat completions', '/v1'),
  opencode('@ai-sdk/anthropic', 'messages', '/anthropic'),
];

function opencode(npm: string, surface: Agent['surface'], path: string): Agent {
  return {
    name: `opencode (${npm})`,
    package: 'opencode-ai@1.18.33',
    surface,
    files: ({ url, key, model }) => {
      const endpoint = surface === 'messages' ? 'messages' : 'chat';
      const settings = JSON.parse(
        snippet('opencode', { endpoint, baseUrl: url + path, key, model, limits: agentLimits }),
      ) as object;
      const unattended = {
        permission: { edit: 'allow', bash: 'deny', external_directory: 'allow' },
        autoupdate: false,
      };
      return { '.config/opencode/opencode.json': JSON.stringify({ ...settings, ...unattended, share: 'disabled' }) };
    },
    environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    command: (prompt, { model }) => ['opencode', 'run', '--model', `gateway/${model}`, prompt],
  };
}
