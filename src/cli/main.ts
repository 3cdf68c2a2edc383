import { endWithLauncher } from './launched.ts';
import { run } from './program.ts';

endWithLauncher();
endWithReader();
process.exitCode = await run(process.argv);

/** `chat-gateway requests list | head` is no failure. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
