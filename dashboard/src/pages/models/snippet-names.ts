/** What the tabs of snippets are called, wherever they stand: one that is chosen is remembered by its name. */
export const snippetNames = {
  openai: 'openai (TypeScript)',
  openaiPython: 'openai (Python)',
  anthropic: 'anthropic (TypeScript)',
  anthropicPython: 'anthropic (Python)',
  ai: 'AI SDK',
} as const;
