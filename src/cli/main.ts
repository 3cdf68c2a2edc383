import { exitWithLauncher } from './exit-with-launcher.ts';
import { run } from './program.ts';

exitWithLauncher();
exitOnClosedStdout();
process.exitCode = await run(process.argv);

/** Exits with 0 if the reader of stdout closes it, as in `chat-gateway requests list | head`. */
function exitOnClosedStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
