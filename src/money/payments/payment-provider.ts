import type { ChargeFailure } from '../../platform/store/tables/selling.ts';

export type { ChargeFailure };

export interface PaymentProvider {
  readonly name: string;
  /** Creates the page where the customer pays. Repeated calls for a payment return the same URL. */
  checkout(order: CheckoutOrder): Promise<{ readonly url: string }>;
  /**
   * Verifies and decodes a webhook. Throws if its signature is invalid; returns `undefined` if the event is irrelevant.
   */
  decodeWebhook(body: Buffer, header: (name: string) => string | undefined): PaymentEvent | CardSetUp | undefined;
  /** Creates the page where a customer saves a card, without a payment. */
  setUpCard(order: CardSetUpOrder): Promise<{ readonly url: string }>;
  /** Reads the card that a set-up saved. Returns `undefined` if it saved none. */
  cardOf(report: CardSetUp): Promise<ProviderCard | undefined>;
  /** Forgets a card. A card that is unknown or forgotten already is no error. */
  forgetCard(card: string): Promise<void>;
  /**
   * Charges a saved card while its owner is away. Repeated calls for a payment charge once and return the first result.
   * Throws if the result is unknown, also if `signal` aborts the call: call again with the same order.
   */
  charge(order: ChargeOrder, signal: AbortSignal): Promise<ChargeResult>;
}

export interface CardSetUpOrder {
  readonly accountId: string;
  /** The user who saves the card. The report of the set-up repeats it. */
  readonly by: string;
  /** The provider's id of the customer, if the account has one. */
  readonly customer: string | undefined;
  readonly savedUrl: string;
  readonly leftUrl: string;
}

/** The provider's report that a customer has finished the page of `setUpCard`. */
export interface CardSetUp {
  readonly kind: 'card-set-up';
  readonly accountId: string;
  readonly by: string;
  /** The provider's id of the set-up, and of its customer. */
  readonly setup: string;
  readonly customer: string | undefined;
}

/** A card at the provider. Its number and its security code never reach the gateway. */
export interface ProviderCard {
  readonly card: string;
  readonly customer: string;
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** The time of the set-up. */
  readonly setUpAt: number;
}

export interface ChargeOrder {
  readonly paymentId: string;
  readonly minorUnits: number;
  readonly currency: string;
  readonly customer: string;
  readonly card: string;
  readonly title: string;
}

export type ChargeResult =
  | Omit<Extract<PaymentEvent, { kind: 'paid' }>, 'paymentId'>
  /** The provider reports the result later. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'failed'; readonly failure: ChargeFailure };

export interface CheckoutOrder {
  readonly paymentId: string;
  /** In the smallest unit of the currency. */
  readonly minorUnits: number;
  readonly currency: string;
  /** The text that the customer sees next to the amount. */
  readonly title: string;
  readonly paidUrl: string;
  readonly leftUrl: string;
}

/** An event about a payment. Each event states the resulting state, so a repeated or late one changes nothing. */
export type PaymentEvent =
  | {
      readonly kind: 'paid';
      readonly paymentId: string;
      readonly minorUnits: number;
      readonly currency: string;
      /** The provider's id of the payment, which later events use. */
      readonly intent: string;
    }
  | { readonly kind: 'ended'; readonly paymentId: string }
  /** An automatic payment was not paid and is not tried again. */
  | { readonly kind: 'failed'; readonly paymentId: string; readonly failure: ChargeFailure }
  /** The total amount refunded so far. */
  | {
      readonly kind: 'refunded';
      readonly intent: string;
      readonly paymentId?: string | undefined;
      readonly minorUnits: number;
    }
  /** The customer's bank took the money back, or returned it after a won dispute. */
  | {
      readonly kind: 'disputed' | 'dispute-won';
      readonly intent: string;
      readonly disputeId: string;
      readonly minorUnits: number;
    };
