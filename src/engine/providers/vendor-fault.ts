/** Determines whether retrying can help; "final" kinds are not retried. */
export type VendorFaultKind =
  /** No key, a wrong key, or a key without permission. Final. */
  | 'auth'
  /** The balance or quota is used up. Final. */
  | 'quota'
  /** Unknown model, or not available to this key. Final. */
  | 'model'
  /** The vendor refuses one of the inputs, at any length. Final for that input. */
  | 'input'
  /** The request or an input in it is too large; smaller ones may pass. */
  | 'too_large'
  /** The endpoint does not understand the request. Final. */
  | 'request'
  /** The answer has the wrong count, length or type. Final. */
  | 'answer'
  /** Something has to be installed or configured first. Final. */
  | 'setup'
  /** Too many requests; all of them slow down. */
  | 'rate'
  /** The service is temporarily overloaded or broken. */
  | 'overload'
  /** No connection, or an interrupted one. */
  | 'network'
  | 'timeout';

export interface VendorFaultDetails {
  readonly kind: VendorFaultKind;
  /** The vendor's message on one line, without secrets. */
  readonly message: string;
  readonly status?: number | undefined;
  /** Where the error comes from, without user name and password. */
  readonly url?: string | undefined;
  /** The vendor's error code, as `insufficient_quota`. */
  readonly code?: string | undefined;
  /** The wait that the vendor asked for. */
  readonly waitMs?: number | undefined;
  /** Overrides the hint of the kind. */
  readonly hint?: string | undefined;
  /** How many inputs a request can have, if the vendor finds this one to have too many. */
  readonly mostInputs?: number | undefined;
  /** Set if only a vector of the answer is broken, perhaps because of its input. */
  readonly isInVector?: true | undefined;
  /** Set if the vectors of the answer cannot be assigned to the inputs; perhaps those of fewer inputs can. */
  readonly isMixedUp?: true | undefined;
}

/** A failed request to a vendor; converted to an SvcError when it leaves the adapter. */
export class VendorFault extends Error {
  readonly details: VendorFaultDetails;

  constructor(
    kind: VendorFaultKind,
    message: string,
    { cause, ...details }: Omit<VendorFaultDetails, 'kind' | 'message'> & ErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'VendorFault';
    this.details = { kind, message, ...details };
  }

  /** The same fault, with other details. */
  with(changes: Partial<VendorFaultDetails>): VendorFault {
    const { kind, message, ...details } = { ...this.details, ...changes };
    return new VendorFault(kind, message, { ...details, cause: this.cause });
  }
}

const TRANSIENT: ReadonlySet<VendorFaultKind> = new Set(['rate', 'overload', 'network', 'timeout']);

/** Whether retrying the same request may help. */
export function isTransient(fault: VendorFault): boolean {
  return TRANSIENT.has(fault.details.kind);
}

/** Whether the vendor refused what a request contains, in words that are not known. */
export function isUnknownRefusal({ kind, status }: VendorFaultDetails): boolean {
  return kind === 'request' && (status === 400 || status === 422);
}

/**
 * An address without user name and password, for messages and identities. Returns anything else
 * unchanged.
 */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/iu, '$1');
}

/** An address without slashes at its end, so that a path can be appended. */
export function withoutEndSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/u, '');
}
