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

/** What the code of a failed connection means, for people; undefined for one that is not known. */
export function networkWords(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(NETWORK_WORDS, code) ? NETWORK_WORDS[code] : undefined;
}
