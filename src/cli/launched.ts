/**
 * Ends this process when the launcher that started it is gone. A launcher that is killed outright cannot pass that on,
 * but the channel to it closes, and it means the same for us: end at once.
 */
export function endWithLauncher(): void {
  const isLaunched = process.env.CHAT_GATEWAY_LAUNCHED === '1';
  delete process.env.CHAT_GATEWAY_LAUNCHED;
  if (!isLaunched) return;
  if (!process.connected) process.exit(1);
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}
