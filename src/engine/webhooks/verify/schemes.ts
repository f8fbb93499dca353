import type { IncomingMessage } from 'node:http';
import { type ResolvedRoute, type ResolvedVerify, senderPlaces } from '../../config/index.js';
import { pointerKeys } from '../../support/json-pointer.js';

/** The headers of a request; `headersDistinct` shows which were sent more than once. */
export type RequestHead = Pick<IncomingMessage, 'headers' | 'headersDistinct'>;

/** The head of a request that has each of these headers once. Names are in lower case. */
export function requestHead(headers: Readonly<Record<string, string>>): RequestHead {
  const distinct = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return { headers, headersDistinct: Object.fromEntries(distinct) };
}

/** The result of checking headers. Errors are for the sender: they contain no secret and no signature. */
export type HeadCheck =
  | {
      readonly ok: false;
      readonly error: string;
      /** The header that is missing, for the log. */
      readonly missing?: string;
    }
  | {
      readonly ok: true;
      /** Checks the bytes as they were received. @returns why they are refused; undefined if they are not */
      readonly checkBody: (body: Buffer) => string | undefined;
    };

/** Verifies the requests of a sender, and signs requests as it does. */
export interface Verifier {
  /**
   * Checks what can be checked before the body is read.
   *
   * @param nowMs milliseconds since the epoch
   */
  readonly checkHead: (head: RequestHead, nowMs: number) => HeadCheck;
  /** The headers of a request that it accepts. */
  readonly sign: (body: Buffer, how: SigningOptions) => Readonly<Record<string, string>>;
  /** `WWW-Authenticate` of a refusal. */
  readonly authenticate: string;
}

export interface SigningOptions {
  /** The id of the delivery. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Where a request contains something. */
export type Place =
  | { readonly in: 'header'; readonly name: string }
  | { readonly in: 'body'; readonly keys: readonly string[] };

/** Parses the name of a header, or a JSON pointer. */
function placeOf(text: string): Place {
  const keys = pointerKeys(text);
  return keys === undefined ? { in: 'header', name: text.toLowerCase() } : { in: 'body', keys };
}

/** Where a sender writes when it signed a request. */
export type SignedTime =
  | Place
  /** Among the signatures, after this prefix. */
  | { readonly in: 'entry'; readonly prefix: string };

/** How a sender signs with a shared key. Header names are in lower case. */
export interface SignatureScheme {
  readonly header: string;
  /** Between several signatures; undefined if there is only one. */
  readonly separator?: ' ' | ',';
  /** Of each signature; others are ignored. */
  readonly prefix: string;
  readonly algorithm: 'sha256' | 'sha512';
  readonly encoding: 'base64' | 'hex';
  /** Whether the key is the text of the secret, or Base64 after `whsec_`. */
  readonly key: 'base64' | 'text';
  /** What is signed, with `{id}`, `{timestamp}` and `{body}`. */
  readonly payload: string;
  /** The header of `{id}`. */
  readonly id?: string;
  readonly time?: SignedTime;
}

const HEX_SHA256 = { algorithm: 'sha256', encoding: 'hex', key: 'text' } as const;

/** https://www.standardwebhooks.com; `svix` is the family's older name. */
function standardWebhooks(family: 'svix' | 'webhook'): SignatureScheme {
  return {
    header: `${family}-signature`,
    separator: ' ',
    prefix: 'v1,',
    algorithm: 'sha256',
    encoding: 'base64',
    key: 'base64',
    payload: '{id}.{timestamp}.{body}',
    id: `${family}-id`,
    time: { in: 'header', name: `${family}-timestamp` },
  };
}

const GITHUB: SignatureScheme = {
  ...HEX_SHA256,
  header: 'x-hub-signature-256',
  prefix: 'sha256=',
  payload: '{body}',
};

const STRIPE: SignatureScheme = {
  ...HEX_SHA256,
  header: 'stripe-signature',
  separator: ',',
  prefix: 'v1=',
  payload: '{timestamp}.{body}',
  time: { in: 'entry', prefix: 't=' },
};

const SLACK: SignatureScheme = {
  ...HEX_SHA256,
  header: 'x-slack-signature',
  prefix: 'v0=',
  payload: 'v0:{timestamp}:{body}',
  time: { in: 'header', name: 'x-slack-request-timestamp' },
};

type Hmac = Extract<ResolvedVerify, { readonly scheme: 'hmac' }>;

const SEPARATORS = [',', ' '] as const;

function hmac({ header, prefix, algorithm, encoding, payload, timestamp }: Hmac): SignatureScheme {
  // With a prefix such as "v1,", several signatures are separated as in Standard Webhooks.
  const separator = SEPARATORS.find((one) => !prefix.includes(one));
  return {
    header: header.toLowerCase(),
    ...(prefix === '' || separator === undefined ? {} : { separator }),
    prefix,
    algorithm,
    encoding,
    key: 'text',
    payload,
    ...(timestamp === undefined ? {} : { time: placeOf(timestamp) }),
  };
}

/**
 * The ways in which a request can be signed: the first whose signature or id header it has applies. None for tokens. In
 * the order in which {@link deliveryPlaces} finds ids, so that the id that identifies a delivery is the signed one.
 */
export function signaturesOf(verify: ResolvedVerify): readonly SignatureScheme[] {
  switch (verify.scheme) {
    case 'standard-webhooks':
      return [standardWebhooks('webhook'), standardWebhooks('svix')];
    case 'github':
      return [GITHUB];
    case 'stripe':
      return [STRIPE];
    case 'slack':
      return [SLACK];
    case 'hmac':
      return [hmac(verify)];
    default:
      return [];
  }
}

/** Where a sender writes the id of a delivery and the name of its event. */
export interface DeliveryPlaces {
  /** The first that a request has counts. */
  readonly id: readonly Place[];
  readonly event: Place | undefined;
}

/** The places of a route. */
export function deliveryPlaces(
  route: Pick<ResolvedRoute, 'deliveryId' | 'eventName' | 'verify'>,
): DeliveryPlaces {
  const { id, event } = senderPlaces(route);
  return { id: id.map(placeOf), event: event === undefined ? undefined : placeOf(event) };
}
