import type { Command } from 'commander';
import { openPepper } from '../../platform/secrets/pepper.ts';
import { systemClock } from '../../core/time/clock.ts';
import { renewSecret, type SecretRenewal } from '../../app/renew-secret.ts';
import { withStore } from '../context.ts';
import { answer, table } from '../terminal/output.ts';

export function registerSecret(program: Command): void {
  program
    .command('secret')
    .description('Manage the secret of the store.')
    .command('rotate')
    .description('Re-encrypt the store with `secret`, and show whether `other_secrets` is still needed.')
    .action((_options, command: Command) => rotate(command));
}

async function rotate(command: Command): Promise<void> {
  await withStore(command, async (store, target) => {
    const pepper = await openPepper(store, target.secrets());
    const done = await renewSecret(store, pepper, systemClock.now());
    answer(command, {
      json: {
        sealed: done.sealed,
        unreadable: done.unreadable,
        keys: done.keys,
        key_count: done.keyCount,
        tokens: done.tokens,
        codes: done.codes,
        complete: done.isComplete,
      },
      text: () => report(done).join('\n'),
    });
    if (!done.isComplete) process.exitCode = 1;
  });
}

function report(done: SecretRenewal): readonly string[] {
  const unreadable =
    done.unreadable > 0 ? [`${done.unreadable} values cannot be decrypted with any configured secret.`] : [];
  const sealed = `${done.sealed} values were re-encrypted with \`secret\`.`;
  if (done.isComplete) {
    return [sealed, ...unreadable, 'No other secret is needed. Remove `other_secrets` and restart every gateway.'];
  }
  return [
    sealed,
    ...unreadable,
    '',
    `Still in need of \`other_secrets\`: ${done.keyCount} API keys, ${done.tokens.length} tokens and ${done.codes} redemption codes.`,
    ...(done.keys.length > 0 ? ['', keyTable(done)] : []),
    ...(done.tokens.length > 0 ? ['', `Tokens: ${done.tokens.map(({ name }) => name).join(', ')}`] : []),
    '',
    'A key or token is renewed when it is used. A code no longer counts when it is redeemed, withdrawn or expired. Revoke or withdraw those that are no longer needed, and run this command again.',
  ];
}

function keyTable({ keys }: SecretRenewal): string {
  const rows = keys.map(({ name, account, id }) => [name, account, id]);
  return table(['key', 'account', 'id'], rows);
}
