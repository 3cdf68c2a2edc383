import type { Clock } from '../core/clock.ts';
import type { AlertStateWriter } from '../outbox/alert-state-writer.ts';
import type { Credential, HealthChange } from '../routing/credential.ts';
import type { Upstreams } from '../routing/upstreams.ts';
import type { Store } from '../store/store.ts';

interface UpstreamWatchParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly upstreams: () => Pick<Upstreams, 'named'>;
  readonly standings: Pick<AlertStateWriter, 'see'>;
}

export interface UpstreamWatch {
  changed(change: HealthChange): void;
  /** Finds what was said to be out of use and works here: whoever said so may be gone. */
  lookAgain(): Promise<void>;
}

/**
 * Tells when an upstream is out of use, with all of its credentials, and when it is back; and when a provider refuses one
 * of them. Every process that notices says so, one of them is heard.
 */
export function upstreamWatch({ store, clock, upstreams, standings }: UpstreamWatchParts): UpstreamWatch {
  const credentialsOf = (name: string): readonly Credential[] => upstreams().named(name)?.credentials ?? [];

  function seeUpstream(upstream: string, isUp: boolean, error: string | null): void {
    const kind = isUp ? 'upstream.up' : 'upstream.down';
    standings.see({
      subject: `upstream ${upstream}`,
      state: isUp ? 'up' : 'down',
      initial: 'up',
      notice: () => ({ kind, accountId: undefined, at: clock.now(), data: { upstream, error } }),
    });
  }

  function seeCredential(upstream: string, credential: number, error: string | undefined): void {
    const data = { upstream, credential: credential + 1, error: error ?? null };
    standings.see({
      subject: `credential ${upstream} ${credential}`,
      state: error === undefined ? 'taken' : 'refused',
      initial: 'taken',
      notice: () =>
        error === undefined ? undefined : { kind: 'credential.refused', accountId: undefined, at: clock.now(), data },
    });
  }

  return {
    changed({ upstream, credential, standing, error }) {
      if (standing === 'disabled') seeCredential(upstream, credential, error ?? 'refused');
      else if (error === undefined) seeCredential(upstream, credential, undefined);
      const isUp = credentialsOf(upstream).some(({ health }) => !health.out);
      seeUpstream(upstream, isUp, error ?? null);
    },
    async lookAgain() {
      const rows = await store.db.selectFrom('standings').select('subject').where('subject', 'like', '% %').execute();
      for (const { subject } of rows) {
        const [kind, name = '', index] = subject.split(' ');
        if (kind === 'upstream' && credentialsOf(name).some(works)) seeUpstream(name, true, null);
        const one = kind === 'credential' ? credentialsOf(name)[Number(index)] : undefined;
        if (one && works(one)) seeCredential(name, one.index, undefined);
      }
    },
  };
}

/** In use, and something came from it: one that nobody has tried yet says nothing. */
function works({ health, latencyMs }: Credential): boolean {
  return !health.out && latencyMs !== undefined;
}
