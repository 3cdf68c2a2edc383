import type { Pepper } from '../../platform/secrets/key-digest.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { UpstreamKind } from '../../platform/config/schema/upstream-kind.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import type { FindingList } from 'chat-gateway-import/findings.ts';
import type { ImportPlan } from 'chat-gateway-import/plan.ts';
import type { Provenance } from './provenance.ts';

export interface ApplyParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  readonly vault: SecretVault;
  readonly kinds: readonly UpstreamKind[];
  /** Names the source in the store: the same for each import from it. */
  readonly source: string;
  /** The user of the command, for the ledger. */
  readonly operator: string;
}

export interface ApplyContext extends ApplyParts {
  readonly plan: ImportPlan;
  readonly provenance: Provenance;
  readonly findings: FindingList;
}
