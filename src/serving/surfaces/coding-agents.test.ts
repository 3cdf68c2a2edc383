import { expect, test } from 'vitest';
import { codingAgents as known } from '../../platform/config/schema/coding-agents.ts';
import { codingAgents } from './coding-agents.ts';

const isAgent = codingAgents(known);
const from = (userAgent: string) => ({ header: (name: string) => (name === 'user-agent' ? userAgent : undefined) });

test.each([
  'claude-cli/2.1.136 (external, cli)',
  'claude-code/2.1.136',
  'codex_cli_rs/0.72.0 (Ubuntu 24.4.0; x86_64) xterm',
  'codex_exec/0.72.0 (Ubuntu 24.4.0; x86_64) unknown',
  'QwenCode/0.2.0 (linux; x64)',
  'GeminiCLI/0.9.0/gemini-2.5-pro (linux; x64)',
  'opencode/1.0.150 ai-sdk/provider-utils/3.0.17 runtime/bun/1.3.3',
  'Cline/3.38.3',
  'RooCode/3.30.0',
  'Kilo-Code/4.120.0',
  'Kilo-Code/7.0.1 ai-sdk/openai-compatible/1.0.27',
  'aider/0.86.1',
  'Aider/0.86.1 +https://aider.chat',
  'Continue-CLI/1.5.2',
  'Charm-Crush/v0.22.1',
  'goose/1.9.0',
  'openhands/1.0.0',
  'mini-swe-agent/1.17.0',
  'Zed/0.214.3 (linux; x86_64)',
  'Cursor/1.7.0',
  'GitHubCopilotChat/0.33.0',
  'KimiCLI/0.58',
  'factory-cli/0.26.1',
])('%s is a coding agent', (userAgent) => {
  expect(isAgent(from(userAgent))).toBe(true);
});

test.each([
  '',
  'OpenAI/Python 1.99.1',
  'AsyncOpenAI/Python 1.99.1',
  'OpenAI/JS 7.53.0',
  'Anthropic/JS 1.8.0',
  'ai-sdk/openai-compatible/1.0.27 runtime/node.js/24',
  'litellm/1.81.0',
  'python-requests/2.32.3',
  'curl/8.5.0',
  'node',
  'axios/1.12.2',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Organized/1.0',
  'Recline/2.0',
  'Mongoose/8.1',
])('%s is not a coding agent', (userAgent) => {
  expect(isAgent(from(userAgent))).toBe(false);
});

test('an agent with the User-Agent of a library is recognised by its title header', () => {
  const headers: Record<string, string> = {
    'user-agent': 'ai-sdk/openai-compatible/1.0.27',
    'x-title': 'Kilo Code',
    'http-referer': 'https://kilocode.ai',
  };
  expect(isAgent({ header: (name) => headers[name] })).toBe(true);
});

test('names match literally and case-insensitively, and an empty list matches no client', () => {
  expect(codingAgents(['My.Agent+'])(from('my.agent+/1'))).toBe(true);
  expect(codingAgents(['My.Agent+'])(from('my-agents/1'))).toBe(false);
  expect(codingAgents([])(from('claude-cli/2'))).toBe(false);
});
