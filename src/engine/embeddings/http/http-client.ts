import got, { HTTPError, type Options, RequestError, type Response, TimeoutError } from 'got';
import { messageOf } from '../../errors/index.js';
import { jsonOrText } from '../../parse-json.js';
import { createSecretMask } from '../../secrets/mask/secret-mask.js';
import type { Pacing } from '../requests/pacer.js';
import { VendorFault, type VendorFaultDetails } from '../vendor-fault.js';
import { networkMessage } from './network-words.js';
import { detailsOfStatus } from './status-fault.js';

/** A request to a vendor. */
export interface HttpRequest {
  readonly method: 'DELETE' | 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; not together with `json`. An iterable can be sent once: see UNPACED. */
  readonly body?: Buffer | Iterable<Buffer> | string | undefined;
  readonly signal: AbortSignal;
  /** Of one try, in milliseconds. */
  readonly timeoutMs: number;
  readonly pacing: Pacing;
}

/** An answer with status 2xx. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * What a vendor's error answer means, where its body says more than the status. `body` is parsed
 * JSON, or text where it is none; `headers` have lower-case names. Only what differs is returned.
 */
export type ExplainStatus = (answer: {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}) => Partial<VendorFaultDetails>;

/** Larger answers than any vendor gives; a broken endpoint must not fill the memory. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

/**
 * Sends a request through got, again and again as its pacing has it.
 *
 * Redirects are not followed: the key in the headers is for this host alone.
 *
 * @throws VendorFault, or the signal's reason
 */
export async function sendRequest(
  request: HttpRequest,
  explain: ExplainStatus = () => ({}),
): Promise<HttpAnswer> {
  const { pacing, signal } = request;
  signal.throwIfAborted();
  try {
    const pending = got(request.url, {
      method: request.method,
      headers: { 'user-agent': 'svc', ...request.headers },
      ...(request.json === undefined ? {} : { json: request.json }),
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
      timeout: { request: request.timeoutMs },
      followRedirect: false,
      responseType: 'buffer',
      hooks: { beforeRequest: [() => pacing.ready(signal)] },
      retry: {
        calculateDelay: ({ attemptCount, error }) =>
          signal.aborted ? 0 : (pacing.delayAfter(faultOf(error, explain), attemptCount) ?? 0),
      },
    });
    void pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > MAX_ANSWER_BYTES) pending.cancel();
    });
    const { statusCode, headers, body } = await pending;
    // With redirects not followed, got takes 3xx for an answer.
    if (statusCode >= 300) throw redirectFault(statusCode, headers['location']);
    pacing.succeeded();
    return { status: statusCode, headers, body };
  } catch (error) {
    signal.throwIfAborted();
    throw faultOf(error, explain);
  }
}

/** The fault of an answer that sends elsewhere. */
export function redirectFault(status: number, location: string | undefined): VendorFault {
  const where = location === undefined ? '' : ` to ${new URL(location, 'http://x').host}`;
  return new VendorFault({
    kind: 'request',
    status,
    message: `the endpoint redirects${where}`,
    hint: 'set baseUrl to the address that answers itself',
  });
}

/** Names a failure of any kind as a fault. */
export function faultOf(error: unknown, explain: ExplainStatus): VendorFault {
  if (error instanceof VendorFault) return error;
  if (error instanceof HTTPError) return new VendorFault(answerDetails(error.response, explain));
  if (error instanceof TimeoutError) {
    return new VendorFault({ kind: 'timeout', message: 'no answer in time' }, { cause: error });
  }
  if (error instanceof RequestError) {
    const message = createSecretMask().text(networkMessage(error.code, error.message));
    return new VendorFault({ kind: 'network', code: error.code, message }, { cause: error });
  }
  return new VendorFault({ kind: 'network', message: messageOf(error) }, { cause: error });
}

function answerDetails(response: Response<unknown>, explain: ExplainStatus): VendorFaultDetails {
  const { statusCode: status, headers, request, rawBody } = response;
  // Before anything is cut off: half a key is no longer known for one.
  const body = createSecretMask(sentSecrets(request.options)).data(jsonOrText(bodyText(rawBody)));
  const own = explain({ status, body, headers });
  return { ...detailsOfStatus(status, headers, body), ...own };
}

/** Headers that hold no secret, whoever sends them. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
]);

/** What a vendor may repeat in its error: the values of the headers, whole and without a scheme. */
function sentSecrets({ headers }: Pick<Options, 'headers'>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || PLAIN_HEADERS.has(name.toLowerCase())) return [];
    return [value].flat().flatMap((text) => [text, text.replace(/^\S+\s+/u, '')]);
  });
}

function bodyText(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : '';
}
