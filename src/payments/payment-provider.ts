export interface PaymentProvider {
  readonly name: string;
  /** Creates the page where the customer pays. Repeated calls for a payment return the same URL. */
  checkout(order: CheckoutOrder): Promise<{ readonly url: string }>;
  /**
   * Verifies and decodes a webhook. Throws if its signature is invalid; returns `undefined` if the event is irrelevant.
   */
  decodeWebhook(body: Buffer, header: (name: string) => string | undefined): PaymentEvent | undefined;
}

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
