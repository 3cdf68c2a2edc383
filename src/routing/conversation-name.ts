import { createHmac, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * Names conversations for providers. The same in every process that has the secret, so that all turns find the same cache;
 * without the secret a name does not even allow to test a guess of who said what.
 */
export function conversationNames(secret: KeyObject): (conversation: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'chat-gateway conversations', 32));
  return (conversation) => createHmac('sha256', key).update(conversation).digest('base64url');
}
