import { X509Certificate } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { rootCertificates } from 'node:tls';

/** A request with a body. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** PEM of the certificate that the listener has; undefined leaves it to the system to know it. */
  readonly certificate: Buffer | undefined;
  readonly signal: AbortSignal;
}

/** What came back. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly text: string;
}

/** More than any answer has. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Posts to our own listener.
 *
 * @throws what the network throws, or the signal's reason
 */
export async function sendRequest(sent: SentRequest): Promise<ReceivedAnswer> {
  const answer = await answerOf(sent);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MOST_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(part);
  }
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
}

function answerOf({
  url,
  headers,
  body,
  certificate,
  signal,
}: SentRequest): Promise<IncomingMessage> {
  const target = new URL(url);
  const isTls = target.protocol === 'https:';
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    signal,
    ...(isTls && certificate !== undefined ? trusting(certificate) : {}),
  };
  return new Promise((resolve, reject) => {
    const request = isTls ? httpsRequest(target, options) : httpRequest(target, options);
    request.on('response', resolve).on('error', reject).end(body);
  });
}

/**
 * Believes the very certificate that is configured, whatever name it is for: the listener is reached
 * by its address.
 */
function trusting(pem: Buffer): RequestOptions {
  const own = new X509Certificate(pem).fingerprint256;
  return {
    ca: [...rootCertificates, pem.toString('utf8')],
    checkServerIdentity: (_host, peer) =>
      peer.fingerprint256 === own
        ? undefined
        : new Error('this is not the certificate that gateway.tls names'),
  };
}
