const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (connection refused)',
  ECONNRESET: 'the connection broke off',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the host is self-signed',
  CERT_HAS_EXPIRED: 'the certificate of the host has expired',
};

/** What a system error code means, in words; `fallback` for one that is not known. */
export function networkMessage(code: string, fallback: string): string {
  return NETWORK_WORDS[code] ?? fallback;
}
