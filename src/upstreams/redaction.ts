const secretBytesMin = 6;

/** Takes secrets out of a provider's text before anything is done with it: some providers repeat the key they refuse. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= secretBytesMin)
    .flatMap((secret) => [secret, inJson(secret)]);
  return (text) => {
    const redacted = known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
    return redacted.replace(/\b(sk|key|gsk|xai|nvapi|pplx|fw|hf|r8)[-_][\w-]{12,}|\bBearer\s+\S+/gi, '[redacted]');
  };
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}
