const introduction =
  'I am a simulated model inside the gateway: I answer offline, always in the same way, and know very little.';
const quotedCharactersMax = 300;

export function smallTalk(message: string): string {
  const text = message.trim();
  for (const [pattern, reply] of topics) {
    const match = pattern.exec(text);
    if (match) return reply(match);
  }
  if (text === '') return `You sent an empty message. ${introduction}`;
  return `You said: "${quoted(text)}". ${introduction} Ask me to count, to add two numbers, or configure a real provider to get real answers.`;
}

export function reportOf(toolResult: string): string {
  return `The tool answered: ${quoted(toolResult.trim()) || 'nothing'}. That is the result I would base my answer on. ${introduction}`;
}

export function reasoningOn(message: string, isThorough: boolean): string {
  const first = `The user wrote "${quoted(message.trim())}". I should answer kindly and say that I am only simulated.`;
  return isThorough
    ? `${first} Let me check that again from another side. Yes, a short and honest answer is best.`
    : first;
}

type Topic = readonly [pattern: RegExp, reply: (match: RegExpExecArray) => string];

const topics: readonly Topic[] = [
  [/^(?:hi|hello|hey|good (?:morning|evening))\b/i, () => `Hello! How can I help you? ${introduction}`],
  [/^(?:你好|您好)/, () => '你好！我是网关内置的模拟模型，可以离线回答，但懂得很少。'],
  [/^(?:thanks|thank you)\b/i, () => 'You are welcome!'],
  [/^(?:bye|goodbye)\b/i, () => 'Goodbye, and come back soon!'],
  [/\b(?:who|what) are you\b/i, () => introduction],
  [/\bcount (?:up )?to (\d{1,3})\b/i, ([, last]) => `${counted(Number(last))}.`],
  [
    /(-?\d{1,9})\s*([-+*×])\s*(-?\d{1,9})/,
    ([whole, a, sign, b]) => `${whole} = ${calculated(Number(a), sign, Number(b))}.`,
  ],
];

function counted(last: number): string {
  return Array.from({ length: last }, (_, index) => index + 1).join(', ');
}

function calculated(a: number, sign: string | undefined, b: number): number {
  if (sign === '+') return a + b;
  return sign === '-' ? a - b : a * b;
}

function quoted(text: string): string {
  const characters = Array.from(text.slice(0, quotedCharactersMax * 2));
  return characters.length > quotedCharactersMax ? `${characters.slice(0, quotedCharactersMax).join('')}…` : text;
}
