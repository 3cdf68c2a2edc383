/**
 * Divides the slots of every upstream among the processes of a service. The arbiter runs in the parent of the workers
 * of one machine, or in the database that several machines share.
 *
 * An implementation only transports (messages to a parent, statements to a database). It sends a `Report` to the
 * process or database that keeps the `LeaseBook`. There it calls `applyReport` with one report at a time and the local
 * clock, and it returns the reply. It may be slow, lose a message or reject: the reporting process handles that. It
 * must not apply one report twice, which `number` prevents. It must settle every call sooner or later. Reports and
 * replies survive `JSON.stringify`.
 */
export interface Arbiter {
  /** Sends the state of a process; resolves with what the process may use from then on. */
  report(report: Report): Promise<ArbiterReply>;
  /** The process has no running calls any more: its slots are free at once. */
  leave(process: string): Promise<void>;
  /** Calls the listener with the processes that should report soon. Returns a function that ends it. */
  subscribe(listener: (processes: readonly string[]) => void): () => void;
  /** The slots of each process, for display. */
  overview(): Promise<readonly ClusterMember[]>;
}

export interface Report {
  /** Unique: no other process has or had this name. */
  readonly process: string;
  /** Where the process runs: for display, and for peers that can check whether it still runs. */
  readonly host: HostId;
  /** Counts up with every report of a process: an older report that arrives late changes nothing. */
  readonly number: number;
  readonly resources: readonly ResourceReport[];
  /** Processes that the reporter has found to be gone, and with them every call they made. */
  readonly dead: readonly string[];
  /** Shared state that the process learned since its last answered report. */
  readonly sharedState: readonly SharedState[];
  /** The latest version of the shared state that the process has received, from the last reply. */
  readonly sharedStateSeen: number;
}

/** One start of a process on a machine. */
export interface HostId {
  readonly machine: string;
  readonly pid: number;
  /** The number of the worker on its machine, if there are several. */
  readonly worker?: number | undefined;
}

/** One upstream as one process sees it. */
export interface ResourceReport {
  readonly name: string;
  /** How many calls the upstream accepts at once from all processes together, as far as this process has learned. */
  readonly limit: number;
  /** The most slots that the process uses from now on, until a reply grants more. Includes running calls. */
  readonly has: number;
  readonly running: number;
  readonly waiting: number;
  /** All requests are of one account: no slot is reserved for other accounts. */
  readonly isOfOne?: boolean;
  /** The accounts with requests here, at most `accountsMax`; the remaining accounts are added up as one. */
  readonly accounts: readonly AccountDemand[];
  /** The same for requests of the idle class, if there are any. `running` includes them, `waiting` does not. */
  readonly idle?: readonly AccountDemand[];
}

export const accountsMax = 50;

/** The running and waiting requests of one account at one upstream, in one process. */
export interface AccountDemand {
  readonly id: string;
  readonly weight: number;
  readonly running: number;
  readonly waiting: number;
}

export interface ArbiterReply {
  /** How long the lease is valid, counted from the moment the report was sent. */
  readonly leaseMs: number;
  /** How many processes share the slots, including this one. */
  readonly processes: number;
  readonly resources: readonly SlotLease[];
  /** Processes that have not reported lately: a peer may be able to check whether they still run. */
  readonly silent: readonly { readonly process: string; readonly host: HostId }[];
  readonly sharedState: readonly SharedState[];
  readonly sharedStateSeen: number;
}

export interface SlotLease {
  readonly name: string;
  /** The limit of all processes together: the lowest that any of them has reported. */
  readonly limit: number;
  /** How many calls the process may run. If more run, it starts none, and reports as soon as fewer run. */
  readonly may: number;
  /** Whether another process waits for the slots that this one has beyond `may`. */
  readonly isWaitedFor: boolean;
  /** Sums over all other processes. `idle` of the running requests are of the idle class. */
  readonly elsewhere: { readonly running: number; readonly waiting: number; readonly idle: number };
  /** The requests of the reported accounts in other processes; accounts without any are omitted. */
  readonly accounts: readonly AccountElsewhere[];
  /** Set if the process reported requests of the idle class. */
  readonly idle?: IdleLease;
}

export interface IdleLease {
  /** How many of the calls may be of the idle class. */
  readonly may: number;
  /** The idle requests of the reported accounts in other processes. */
  readonly accounts: readonly AccountElsewhere[];
}

/** The requests of one account in all other processes that still report. */
export interface AccountElsewhere {
  readonly id: string;
  readonly running: number;
  /** Running and waiting requests. */
  readonly wants: number;
}

/** A fact that one process learned and broadcasts to all. The latest value of a subject counts. */
export interface SharedState {
  readonly subject: string;
  readonly value: string;
  /** How much longer the value is valid. */
  readonly forMs: number;
}

export interface ClusterMember {
  readonly process: string;
  readonly host: HostId;
  readonly number: number;
  /** When its last report arrived, on the arbiter's clock. */
  readonly heartbeatMs: number;
  /** The number of processes in the last reply to it. */
  readonly processes: number;
  /** Whether its connection to the arbiter is open: a silent process that has one has not ended. */
  readonly isConnected: boolean;
  /** Since when the arbiter has received reports without a break, as of this process's last report. */
  readonly awakeSinceMs: number;
  /** From its last report. `has` includes slots that the reply granted. */
  readonly resources: readonly MemberResource[];
}

export interface MemberResource extends ResourceReport {
  /** The slots that the last reply granted. */
  readonly may: number;
}
