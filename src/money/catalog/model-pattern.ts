import type { Model } from 'chat-formats/chat/model.ts';

/** Returns the ids of the models whose id or alias matches any of the patterns. */
export function modelsNamed(
  patterns: readonly string[],
  models: readonly Pick<Model, 'id' | 'aliases'>[],
): ReadonlySet<string> {
  const matchers = patterns.map(matcher);
  const names = (model: Pick<Model, 'id' | 'aliases'>) => [model.id, ...model.aliases];
  const named = models.filter((model) => names(model).some((name) => matchers.some((matches) => matches(name))));
  return new Set(named.map((model) => model.id));
}

/** `*` matches any characters, also none. The match uses no regular expression, so no pattern can be slow. */
function matcher(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first) || !name.endsWith(last)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = name.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return from <= name.length - last.length;
  };
}
