/**
 * Who divides the slots of every upstream among the processes of a service: the parent of the workers of one machine,
 * or the database that several machines share.
 *
 * A way to an arbiter (messages to a parent, statements to a database) implements these three methods and nothing else:
 * it carries a `Report` to where the `LeaseBook` is kept, calls `hear` there, one report at a time, by that slot's clock,
 * and carries the reply back. It may be slow, lose what it carries, or reject: the process that asked knows what to do
 * then. It must not deliver a report twice as two, which is what `number` is for, and must end every call sooner or
 * later. Everything in a report and in a reply survives `JSON.stringify`.
 */
export interface Arbiter {
  /** What a process says of itself, and what it may have from then on. */
  report(report: Report): Promise<ArbiterReply>;
  /** Nothing of the process runs any more: what it had is free at once. */
  leave(process: string): Promise<void>;
  /** Calls the listener with the names of those who should report soon, because something changed for them. Returns how to stop that. */
  subscribe(listener: (processes: readonly string[]) => void): () => void;
  /** Who has what, for people. */
  overview(): Promise<readonly ClusterMember[]>;
}

/** One small message about all upstreams. */
export interface Report {
  /** A name that no other process has or had. */
  readonly process: string;
  /** Where it runs, for people and for peers who can see whether it still does. */
  readonly home: HostId;
  /** Counts up with every report of a process: one that comes late changes nothing. */
  readonly number: number;
  readonly resources: readonly ResourceReport[];
  /** Processes of which the reporter knows that they are gone, and with them every call they made. */
  readonly dead: readonly string[];
  /** What it learned since the last report that was answered. */
  readonly news: readonly SharedState[];
  /** The latest news it knows of, as the last reply has it. */
  readonly newsSeen: number;
}

/** A process of a machine that was started once. */
export interface HostId {
  readonly machine: string;
  readonly pid: number;
  /** Which of the workers of its machine it is, where there are several. */
  readonly worker?: number | undefined;
}

/** One upstream as one process sees it. */
export interface ResourceReport {
  /** The upstream's name. */
  readonly name: string;
  /** How many calls it takes at once from all processes together, as far as this one knows. */
  readonly limit: number;
  /** How many it keeps to from now on, until a reply gives it more. What runs is part of it. */
  readonly has: number;
  readonly running: number;
  readonly waiting: number;
  /** All of it is one account's: no slot is kept for others who might come. */
  readonly isOfOne?: boolean;
  /** Whose requests run and wait here, at most `accountsMax`; what the others have is put together as one. */
  readonly accounts: readonly AccountDemand[];
}

/** So many accounts are named in what is said of an upstream. */
export const accountsMax = 50;

/** What one account has and wants at one upstream, in one process. */
export interface AccountDemand {
  readonly id: string;
  readonly weight: number;
  readonly running: number;
  readonly waiting: number;
  /** Always 0. A gateway of the version before adds it up, and must find a number. */
  readonly used: number;
}

export interface ArbiterReply {
  /** For how long it holds, counted from the moment the report was sent. */
  readonly leaseMs: number;
  /** How many processes share, this one included. */
  readonly processes: number;
  readonly resources: readonly SlotLease[];
  /** Those that were not heard of lately: a peer may know more. */
  readonly silent: readonly { readonly process: string; readonly home: HostId }[];
  readonly news: readonly SharedState[];
  readonly newsSeen: number;
}

/** What a process may have at one upstream. */
export interface SlotLease {
  readonly name: string;
  /** The limit that all processes keep together: the lowest that one of them knows of. */
  readonly limit: number;
  /** How many calls it may run. Where it has more it lets answers end, and says so as soon as it has less. */
  readonly may: number;
  /** Whether somebody waits for what it has too much. */
  readonly isWaitedFor: boolean;
  /** Of the other processes together. */
  readonly elsewhere: { readonly running: number; readonly waiting: number };
  /** What the reported accounts have in other processes; those that have nothing there are left out. */
  readonly accounts: readonly AccountElsewhere[];
}

/** The requests of one account at all other processes that still report. */
export interface AccountElsewhere {
  readonly id: string;
  readonly running: number;
  /** What runs and waits. */
  readonly wants: number;
}

/** Something that one process learned and all should know: the latest word on a subject is the one that counts. */
export interface SharedState {
  readonly subject: string;
  readonly value: string;
  /** How much longer it is worth knowing. */
  readonly forMs: number;
}

/** A process as the arbiter knows it. */
export interface ClusterMember {
  readonly process: string;
  readonly home: HostId;
  readonly number: number;
  /** When it was last heard of, by the arbiter's clock. */
  readonly heardMs: number;
  /** How many processes shared, as it was last told. */
  readonly processes: number;
  /** Whether its connection to the arbiter stands: a silent process that has one is not dead. */
  readonly isConnected: boolean;
  /** Since when the arbiter has been hearing reports without a break, as this process last found it. */
  readonly awakeSinceMs: number;
  /** As it last said; what it was given since counts as what it has. */
  readonly resources: readonly MemberResource[];
}

export interface MemberResource extends ResourceReport {
  /** What it was last told that it may have. */
  readonly may: number;
}
