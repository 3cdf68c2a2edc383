import type { ChildProcess } from 'node:child_process';

type OrderOutcome = { readonly value: unknown } | { readonly failure: string };

/** Sends one order to a forked process and waits for its reply. Only one order may run at a time. */
export function giveOrder<Reply>(child: ChildProcess, order: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('a process of the bench exited before it replied'));
    child.once('exit', onExit);
    child.once('message', (outcome: OrderOutcome) => {
      child.off('exit', onExit);
      if ('failure' in outcome) reject(new Error(outcome.failure));
      else resolve(outcome.value as Reply);
    });
    child.send(order as object, (error) => error && reject(error));
  });
}

/** The other end: answers every order, and ends the process when its parent is gone. */
export function obeyOrders(obey: (order: unknown) => unknown): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (order) => {
    void Promise.resolve()
      .then(() => obey(order))
      .then(
        (value) => process.send?.({ value } satisfies OrderOutcome),
        (error: unknown) => process.send?.({ failure: String(error) } satisfies OrderOutcome),
      );
  });
}
