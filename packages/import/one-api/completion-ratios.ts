/**
 * The prices of completion tokens, relative to those of prompt tokens, that are compiled into one-api 0.6.11. It uses them
 * for models that its option `CompletionRatio` does not name, and no interface of it shows them. The first match counts.
 */
const compiledIn: readonly (readonly [RegExp, string])[] = [
  [/^gpt-3\.5(?:-turbo$|.*0125$)/, '3'],
  [/^gpt-3\.5.*1106$/, '2'],
  [/^gpt-3\.5/, '1.333333333333333333333333'],
  [/^gpt-4o-2024-05-13$/, '3'],
  [/^gpt-4o/, '4'],
  [/^gpt-4(?:-turbo|.*preview$)/, '3'],
  [/^gpt-4/, '2'],
  [/^o1/, '4'],
  [/^chatgpt-4o-latest$/, '3'],
  [/^claude-3/, '5'],
  [/^(?:claude-|mistral-|gemini-)/, '3'],
  [/^deepseek-/, '2'],
  [/^llama2-70b-4096$/, '1.25'],
  [/^llama3-8b-8192$/, '2'],
  [/^(?:command|command-light|command-nightly|command-light-nightly)$/, '2'],
  [/^(?:command-r|grok-beta)$/, '3'],
  [/^command-r-plus$/, '5'],
];

export function compiledCompletionRatio(model: string): string {
  return compiledIn.find(([form]) => form.test(model))?.[1] ?? '1';
}
