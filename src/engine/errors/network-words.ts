import { isWithoutTls, PROXY_FAULT, WITHOUT_TLS_REASON } from './svc-error.js';

/** By the codes of Node.js. */
const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing is listening there',
  ECONNRESET: 'the connection was interrupted',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'connection timed out',
  DEPTH_ZERO_SELF_SIGNED_CERT: "the host's certificate is self-signed",
  CERT_HAS_EXPIRED: "the host's certificate has expired",
};

/** Of Node.js (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA)/u;

/** How OpenSSL words an error: `error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:…`. */
const OPENSSL_MESSAGE = /^(?:[\dA-F]+:)?error:[\dA-F]+:[^:]*:[^:]*:([^:\n]+)/u;

/** What the code of a failed connection means, and a hint if the address can be reached. @param fallback for other codes */
export function networkWords(code: string, fallback: string) {
  if (isWithoutTls(code)) {
    return {
      message: WITHOUT_TLS_REASON,
      hint: 'use an address with http://, or the port that has TLS',
    };
  }
  if (code === PROXY_FAULT) {
    const hint =
      'check HTTPS_PROXY, HTTP_PROXY or ALL_PROXY; NO_PROXY lists hosts to reach directly';
    return { message: fallback, hint };
  }
  if (code.startsWith('HPE_')) {
    return { message: 'the answer is not valid HTTP', hint: 'check the port of the address' };
  }
  const known = NETWORK_WORDS[code];
  if (!UNTRUSTED.test(code)) {
    return { message: known ?? OPENSSL_MESSAGE.exec(fallback)?.[1] ?? fallback };
  }
  return {
    message: known ?? "the host's certificate is not trusted",
    hint: 'set NODE_EXTRA_CA_CERTS to a file with the certificate, or with that of its authority',
  };
}
