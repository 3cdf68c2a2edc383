import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * Names conversations for providers. A name is the same in every process that has the secret, so that all turns use the
 * same prompt cache. Without the secret, a name does not even allow testing a guess of the content.
 */
export function conversationNames(secret: KeyObject): (conversation: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'chat-gateway conversations', 32));
  return (conversation) => createHmac('sha256', key).update(conversation).digest('base64url');
}
