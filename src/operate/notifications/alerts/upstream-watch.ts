import type { WatchParts } from './alert-state-writer.ts';
import type { Credential, HealthChange } from '../../../serving/routing/health/credential.ts';
import type { Upstreams } from '../../../serving/routing/upstreams.ts';

interface UpstreamWatchParts extends WatchParts {
  readonly upstreams: () => Pick<Upstreams, 'named'>;
}

/** Every process reports ejected upstreams, their return and rejected credentials; one event is written. */
export function upstreamWatch({ store, clock, upstreams, alertStates }: UpstreamWatchParts) {
  const credentialsOf = (name: string): readonly Credential[] => upstreams().named(name)?.credentials ?? [];

  function seeUpstream(upstream: string, isUp: boolean, error: string | null): void {
    const kind = isUp ? 'upstream.up' : 'upstream.down';
    alertStates.observe({
      subject: `upstream ${upstream}`,
      state: isUp ? 'up' : 'down',
      initial: 'up',
      event: () => ({ kind, accountId: undefined, at: clock.now(), data: { upstream, error } }),
    });
  }

  function seeCredential(upstream: string, credential: number, error: string | undefined): void {
    const data = { upstream, credential: credential + 1, error: error ?? null };
    alertStates.observe({
      subject: `credential ${upstream} ${credential}`,
      state: error === undefined ? 'taken' : 'refused',
      initial: 'taken',
      event: () =>
        error === undefined ? undefined : { kind: 'credential.refused', accountId: undefined, at: clock.now(), data },
    });
  }

  return {
    changed: ({ upstream, credential, state, error }: HealthChange): void => {
      if (state === 'disabled') seeCredential(upstream, credential, error ?? 'refused');
      else if (error === undefined) seeCredential(upstream, credential, undefined);
      const isUp = credentialsOf(upstream).some(({ health }) => !health.out);
      seeUpstream(upstream, isUp, error ?? null);
    },
    /** Resolves alerts about upstreams and credentials that work here: the process that raised them may have ended. */
    async recheck(): Promise<void> {
      const rows = await store.db
        .selectFrom('alert_states')
        .select('subject')
        .where('subject', 'like', '% %')
        .execute();
      for (const { subject } of rows) {
        const [kind, name = '', index] = subject.split(' ');
        if (kind === 'upstream' && credentialsOf(name).some(works)) seeUpstream(name, true, null);
        const one = kind === 'credential' ? credentialsOf(name)[Number(index)] : undefined;
        if (one && works(one)) seeCredential(name, one.index, undefined);
      }
    },
  };
}

/** In use, with at least one answer. A credential that was never tried does not count. */
function works({ health, latencyMs }: Credential): boolean {
  return !health.out && latencyMs !== undefined;
}
