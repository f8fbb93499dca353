import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RecordedRequest } from './fake-vendor.js';

/** The signer and the scope that a signature must have. */
export interface ExpectedSignature {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
}

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<date>\d{8})\/(?<region>[^/]+)\/(?<service>[^/]+)\/aws4_request, SignedHeaders=(?<signed>[^,]+), Signature=(?<signature>[\da-f]{64})$/u;

/** Recomputes a request's signature (AWS Signature Version 4); returns what is wrong with it. */
export function signatureFault(
  request: RecordedRequest,
  expected: ExpectedSignature,
): string | undefined {
  const groups = HEADER.exec(request.headers.authorization ?? '')?.groups;
  if (groups === undefined) return 'no AWS4-HMAC-SHA256 authorization';
  const { key = '', date = '', region = '', service = '', signed = '', signature = '' } = groups;
  if (key !== expected.accessKeyId) return `unknown access key`;
  if (region !== expected.region || service !== expected.service) {
    return `scope is ${region}/${service}`;
  }
  const names = signed.split(';');
  for (const name of ['host', 'x-amz-date', 'content-type']) {
    if (!names.includes(name)) return `${name} is not signed`;
  }
  const text = [
    'AWS4-HMAC-SHA256',
    String(request.headers['x-amz-date']),
    `${date}/${region}/${service}/aws4_request`,
    sha256(canonicalRequest(request, names)),
  ].join('\n');
  const steps = [date, region, service, 'aws4_request'];
  const signingKey = steps.reduce<Buffer | string>(hmac, `AWS4${expected.secretAccessKey}`);
  const right = timingSafeEqual(hmac(signingKey, text), Buffer.from(signature, 'hex'));
  return right ? undefined : 'the signature does not match';
}

function canonicalRequest(request: RecordedRequest, names: readonly string[]): string {
  const [path = '', query = ''] = request.path.split('?', 2);
  return [
    request.method,
    // Encoded once more than it was sent; only S3 is otherwise.
    path.split('/').map(encodeURIComponent).join('/'),
    query,
    ...names.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    names.join(';'),
    sha256(request.body),
  ].join('\n');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
