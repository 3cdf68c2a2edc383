/** The last frame of an answer that failed after it began. No other frame may follow it. */
export function encodeMessagesErrorFrame(
  error: { readonly code: string; readonly type: string; readonly message: string },
  requestId: string,
): string {
  const { type, code, message } = error;
  const data = { type: 'error', error: { type, code, message }, request_id: requestId };
  return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
}
