/** What is wrong, and with it whether sending the request again can help. */
export type VendorFaultKind =
  /** No key, a wrong one, or one without the right. Final. */
  | 'auth'
  /** The money or the contingent is spent; waiting does not bring it back. Final. */
  | 'quota'
  /** There is no such model, or not for this key. Final. */
  | 'model'
  /** One of the inputs is at fault: the vendor refuses it, at any length. Final for that input. */
  | 'input'
  /** The request, or an input in it, is too large; fewer inputs or shorter ones may pass. */
  | 'too_large'
  /** The request is not what the endpoint understands. Final. */
  | 'request'
  /** The answer is not what was asked for: wrong count, wrong length, not numbers. Final. */
  | 'answer'
  /** Something must be installed or set up first. Final. */
  | 'setup'
  /** Too many requests; all of them have to slow down. */
  | 'rate'
  /** The service is overloaded or broken for the moment. */
  | 'overload'
  /** No connection, or one that broke off. */
  | 'network'
  /** No answer in time. */
  | 'timeout';

/** What is known of a failed request. */
export interface VendorFaultDetails {
  readonly kind: VendorFaultKind;
  /** The vendor's own words on one line, without secrets. */
  readonly message: string;
  /** HTTP status. */
  readonly status?: number | undefined;
  /** The vendor's own name for the error, as `insufficient_quota`. */
  readonly code?: string | undefined;
  /** How long the vendor asks to wait, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** What to do about it, where that is more than the kind says. */
  readonly hint?: string | undefined;
}

/** A failed request to a vendor; becomes an SvcError where it leaves the adapter. */
export class VendorFault extends Error {
  readonly details: VendorFaultDetails;

  constructor(details: VendorFaultDetails, options: ErrorOptions = {}) {
    super(details.message, options);
    this.name = 'VendorFault';
    this.details = details;
  }
}

const TRANSIENT: ReadonlySet<VendorFaultKind> = new Set(['rate', 'overload', 'network', 'timeout']);

/** Whether the same request may pass when it is sent again. */
export function isTransient(fault: VendorFault): boolean {
  return TRANSIENT.has(fault.details.kind);
}
