const secretBytesMin = 6;

/** Some providers repeat the key they refuse: as it is, in the header that carried it, or in an address. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= secretBytesMin)
    // Longest first: a secret that is a prefix of another must not leave the rest of it.
    .toSorted((one, other) => other.length - one.length)
    .flatMap((secret) => [inUrl(secret), literal(inJson(secret)), ...inBase64(secret)]);
  const known = forms.length === 0 ? undefined : new RegExp(forms.join('|'), 'g');
  return (text) => {
    const redacted = known ? text.replace(known, '[redacted]') : text;
    return redacted.replace(/\b(sk|key|gsk|xai|nvapi|pplx|fw|hf|r8)[-_][\w-]{12,}|\bBearer\s+\S+/gi, '[redacted]');
  };
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** Matches the secret with any of its characters as `%XX`: programs differ in which ones they escape. */
function inUrl(secret: string): string {
  return Array.from(secret, (character) => {
    const escaped = Buffer.from(character).toString('hex').replaceAll(/../g, '%$&').replaceAll(/[a-f]/g, anyCase);
    return `(?:${literal(character)}|${escaped}${character === ' ' ? '|\\+' : ''})`;
  }).join('');
}

function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}]`;
}

/**
 * If a longer text such as `user:secret` is encoded as a whole, the secret begins at one of three offsets within a
 * group of characters. A character that it shares with the characters around it is removed too.
 */
function inBase64(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const own = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)] as const;
    const sharedBefore = before === 0 ? '' : '[\\w+/-]?';
    return (['base64', 'base64url'] as const).map(
      (encoding) => `${sharedBefore}${literal(bytes.toString(encoding).slice(...own))}[\\w+/-]?={0,2}`,
    );
  });
}
