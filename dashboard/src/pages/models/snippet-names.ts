/** The tab names of snippets on all pages. The chosen tab is remembered by its name. */
export const snippetNames = {
  openai: 'openai (TypeScript)',
  openaiPython: 'openai (Python)',
  anthropic: 'anthropic (TypeScript)',
  anthropicPython: 'anthropic (Python)',
  ai: 'AI SDK',
} as const;
