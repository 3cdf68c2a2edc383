import { run } from './program.ts';

endWithLauncher();
endWithReader();
process.exitCode = await run(process.argv);

/** A launcher that is killed outright cannot pass that on; the closed channel tells, and it means the same for us. */
function endWithLauncher(): void {
  const isLaunched = process.env.CHAT_GATEWAY_LAUNCHED === '1';
  delete process.env.CHAT_GATEWAY_LAUNCHED;
  if (!isLaunched) return;
  if (!process.connected) process.exit(1);
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}

/** `chat-gateway requests list | head` is no failure. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
