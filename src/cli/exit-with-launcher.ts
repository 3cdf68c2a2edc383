/**
 * Exits when the launcher (`bin/chat-gateway.cjs`) that started this process is gone. A launcher that is killed with
 * SIGKILL cannot forward a signal, but its IPC channel closes.
 */
export function exitWithLauncher(): void {
  const isLaunched = process.env.CHAT_GATEWAY_LAUNCHED === '1';
  delete process.env.CHAT_GATEWAY_LAUNCHED;
  if (!isLaunched) return;
  if (!process.connected) process.exit(1);
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}
