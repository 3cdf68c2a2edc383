/** A mend taken out again, to see whether the simulator still finds the fault it was made for. */
export interface Mutant {
  readonly name: string;
  /** What is wrong without the mend. */
  readonly fault: string;
  readonly family: string;
  /** From which seed on it is looked for; most show in the first. */
  readonly seed: number;
  readonly file: string;
  readonly mended: string;
  readonly unmended: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: 'pause-per-model',
    fault: 'one model’s refusals close all models of its upstream',
    family: 'neighbours',
    seed: 1,
    file: 'src/routing/credential.ts',
    mended: 'return this.#allowances.get(model)?.isOpen ?? true;',
    unmended: 'return [...this.#allowances.values()].every(({ isOpen }) => isOpen);',
  },
  {
    name: 'purse-per-lease',
    fault: 'money held under an old lease flows back into the new one',
    family: 'reborn',
    seed: 1,
    file: 'src/billing/wallet.ts',
    mended: 'cover.purse.release(cover.share, spent);',
    unmended: `cover.purse.release(cover.share, spent);
          const today = this.#leasing.purse(over.name.accountId);
          if (today !== cover.purse) {
            today.leased += cover.share - spent;
            today.free += cover.share - spent;
          }`,
  },
  {
    name: 'prompt-is-charged',
    fault: 'whoever leaves before the first content pays nothing',
    family: 'purse',
    seed: 1,
    file: 'src/inference/bill.ts',
    mended: 'const isPromptOnly = isEmpty && this.#isSent && this.#isGivenUp();',
    unmended: 'const isPromptOnly = false;',
  },
  {
    name: 'recall-first',
    fault: 'a request is refused without asking the other processes for what they do not use',
    family: 'purse',
    seed: 1,
    file: 'src/billing/leasing.ts',
    mended: 'else if (waiter.amount > inReach + outcome.elsewhere || hasWaitedForOthers(waiter, nowMs)) {',
    unmended: 'else {',
  },
  {
    name: 'one-recall-for-all',
    fault: 'refusals for want of money come one after another',
    family: 'poor',
    seed: 1,
    file: 'src/billing/leasing.ts',
    mended: 'for (const waiter of unanswered) waiter.recalledMs',
    unmended: 'for (const waiter of unanswered.slice(0, 1)) waiter.recalledMs',
  },
  {
    name: 'small-passes-large',
    fault: 'whoever asks for little waits behind those who cannot be paid',
    family: 'poor',
    seed: 1,
    file: 'src/billing/purse.ts',
    mended: 'else if (next.isShort) index += 1;',
    unmended: '',
  },
  {
    name: 'a-place-for-newcomers',
    fault: 'one account can hold all places of a small upstream',
    family: 'readers',
    seed: 1,
    file: 'src/routing/fair-queue/account-share.ts',
    mended: 'return Math.max(1, Math.min(limit - 1, Math.floor(accountShareMax * limit)));',
    unmended: 'return Math.ceil(accountShareMax * limit);',
  },
  {
    name: 'readers-are-watched',
    fault: 'keep-alive comments keep a reader that has stopped',
    family: 'readers',
    seed: 1,
    file: 'src/http/reader-watch.ts',
    mended: 'if (this.#timer !== undefined) return;',
    unmended: 'this.#parts.clock.cancel(this.#timer);',
  },
  {
    name: 'no-moment-between-looks',
    fault: 'a provider that is open again in the moment somebody looks is not seen to be',
    family: 'resting',
    seed: 1,
    file: 'src/routing/upstream-queue.ts',
    mended: 'this.#planWake(spans);',
    unmended: 'this.#planWake(this.#closedSpans());',
  },
  {
    name: 'cut-by-share',
    fault: 'a few refusals at random bring an upstream down',
    family: 'sporadic',
    seed: 1,
    file: 'src/routing/adaptive-limit.ts',
    mended: 'if (this.#calls >= windowCalls || isPlain) this.#judge();',
    unmended: 'this.#cut(0.3, 0);',
  },
  {
    name: 'spoilt-is-charged',
    fault: 'an answer that was thrown away is not charged with the one that replaced it',
    family: 'disobedient',
    seed: 1,
    file: 'src/inference/bill.ts',
    mended: 'this.#spoilt.push(usage);',
    unmended: '',
  },
  {
    name: 'first-spoilt-is-charged',
    fault: 'a model that broke its promise costs nothing when its fallback fails',
    family: 'disobedient',
    seed: 1,
    file: 'src/inference/infer.ts',
    mended: 'this.#model = this.#money.failed() ?? this.#model;',
    unmended: '',
  },
  {
    name: 'caps-of-all-processes',
    fault: 'a key spends its cap at each process',
    family: 'keys',
    seed: 101,
    file: 'src/billing/key-leases.ts',
    mended: 'budget.cap - spent - stored.own - stored.elsewhere',
    unmended: 'budget.cap - spent - stored.own',
  },
  {
    name: 'turns-are-left',
    fault: 'a request that is over keeps the turn of its key',
    family: 'keys',
    seed: 3,
    file: 'src/surfaces/conversation.ts',
    mended: 'turn?.leave();',
    unmended: '',
  },
  {
    name: 'turns-as-keys-are-now',
    fault: 'a request that came before its key was limited more takes a turn by what it knew, and lets others in too',
    family: 'keys',
    seed: 322,
    file: 'src/routing/key-turns.ts',
    mended: 'key = await this.#turns.asItIs(key);',
    unmended: '',
  },
  {
    name: 'promises-before-holds',
    fault: 'what a dead process had set aside goes back before what it has promised to charge is booked',
    family: 'promised',
    seed: 1,
    file: 'src/billing/processes.ts',
    mended: 'if (dead.length > 0) await replay?.();',
    unmended: '',
  },
];
