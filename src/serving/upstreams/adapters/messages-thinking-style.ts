/** How to request reasoning. Later generations decide for themselves how much they need. */
export function messagesThinkingStyle(model: string): 'budget' | 'adaptive' {
  if (!/claude/i.test(model)) return 'budget';
  const version = versionIn.exec(model);
  if (!version) return 'adaptive';
  const [, major = '', minor = '0'] = version;
  return Number(major) * 100 + Number(minor) < firstAdaptive ? 'budget' : 'adaptive';
}

/** One or two digits, so a date does not match: `claude-3-5-sonnet-20241022`, `claude-opus-4-6`. */
const versionIn = /claude-(?:[a-z]+-)?(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)/i;

/** Version 4.6. */
const firstAdaptive = 406;
