/** The way to ask a model of this format for thinking: later generations judge for themselves how much they need. */
export function messagesThinkingStyle(model: string): 'budget' | 'adaptive' {
  if (!/claude/i.test(model)) return 'budget';
  const version = versionIn.exec(model);
  if (!version) return 'adaptive';
  const [, major = '', minor = '0'] = version;
  return Number(major) * 100 + Number(minor) < firstAdaptive ? 'budget' : 'adaptive';
}

/** A number of one or two digits, so that a date is not taken for one: `claude-3-5-sonnet-20241022`, `claude-opus-4-6`. */
const versionIn = /claude-(?:[a-z]+-)?(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)/i;

/** 4.6 */
const firstAdaptive = 406;
