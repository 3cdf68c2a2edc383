/** The last frame of an answer that failed after it began. No finish, usage or terminator may follow it. */
export function encodeErrorFrame(error: {
  readonly code: string;
  readonly message: string;
  readonly type: string;
}): string {
  const { code, message, type } = error;
  return `data: ${JSON.stringify({ error: { code, message, type } })}\n\n`;
}
