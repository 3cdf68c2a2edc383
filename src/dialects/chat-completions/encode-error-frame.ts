/** The last frame of an answer that failed after it began: neither finish nor usage nor terminator may follow it. */
export function encodeErrorFrame(error: {
  readonly code: string;
  readonly message: string;
  readonly type: string;
}): string {
  const { code, message, type } = error;
  return `data: ${JSON.stringify({ error: { code, message, type } })}\n\n`;
}
