import type { Gateway } from '../../gateway/gateway.ts';
import type { ConfigSource } from './config-source.ts';
import { printWaiting } from '../context.ts';
import type { RunningGateway, GatewayControls } from '../reload-on-change.ts';
import { prepareAnnouncement, freeStartMemory, launchGateway } from './start-gateway.ts';
import { endOnSignals, ignoreClosedStdout } from './stop-signals.ts';

/** Serves in this process, without a parent. */
export async function serveAlone(
  source: ConfigSource,
  { loaded, reload }: Pick<RunningGateway, 'loaded' | 'reload'>,
): Promise<GatewayControls> {
  const gateway = await launchGateway(loaded, { configFile: source.file, onWaiting: printWaiting, reload });
  stopOnSignalsAndErrors(gateway);
  const announcement = await prepareAnnouncement(gateway, loaded, source);
  freeStartMemory();
  console.log(announcement);
  ignoreClosedStdout();
  return gateway;
}

/** After an uncaught error the state is unknown: the process finishes running requests and exits, to be restarted. */
function stopOnSignalsAndErrors(gateway: Gateway): void {
  let exitCode = 0;
  const stop = (grace?: { readonly graceMs: number }): void => {
    gateway.stop(grace).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  const { hasBegun } = endOnSignals({ stop, endNow: () => process.exit(1) });
  process.on('uncaughtException', (error) => {
    gateway.report(error);
    if (exitCode === 1) return;
    exitCode = 1;
    if (!hasBegun()) stop();
  });
}
