/** Whoever takes money from customers for us. */
export interface PaymentProvider {
  readonly name: string;
  /** Where the customer pays. Asked again for the same payment it says the same. */
  checkout(order: CheckoutOrder): Promise<{ readonly url: string }>;
  /** What the provider tells us, once it is sure that it is the provider who does; nothing where it does not concern us. */
  heard(body: Buffer, header: (name: string) => string | undefined): PaymentNews | undefined;
}

export interface CheckoutOrder {
  readonly paymentId: string;
  /** In the smallest unit of the currency, as providers count. */
  readonly minorUnits: number;
  readonly currency: string;
  /** What the customer reads beside the amount. */
  readonly title: string;
  /** Where the customer comes back to. */
  readonly paidUrl: string;
  readonly leftUrl: string;
}

/** What became of a payment. Each says how things stand, so hearing it again, or late, changes nothing. */
export type PaymentNews =
  | {
      readonly kind: 'paid';
      readonly paymentId: string;
      readonly minorUnits: number;
      readonly currency: string;
      /** What later news call the payment. */
      readonly intent: string;
    }
  /** Nothing was paid, and nothing will be. */
  | { readonly kind: 'ended'; readonly paymentId: string }
  /** So much of it went back to the customer in all. */
  | {
      readonly kind: 'refunded';
      readonly intent: string;
      readonly paymentId?: string | undefined;
      readonly minorUnits: number;
    }
  /** The customer's bank took it back, or gave it back after all. */
  | {
      readonly kind: 'disputed' | 'dispute-won';
      readonly intent: string;
      readonly disputeId: string;
      readonly minorUnits: number;
    };
