import { parse } from 'pg-connection-string';
import { isSystemError, messageOf, SvcError } from '../errors/index.js';
import { isPostgresUrl, urlHost } from '../support/network.js';

/** Where a PostgreSQL server is, without anything secret. */
export interface ServerAddress {
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const DEFAULT_PORT = 5432;

/**
 * Reads a connection URL as libpq does: `sslmode=require` encrypts, `verify-full` also checks the certificate and
 * the host name, with the authorities of `sslrootcert` (https://www.postgresql.org/docs/current/libpq-ssl.html).
 *
 * @throws SvcError STORAGE_URL_INVALID, which never quotes the URL
 */
export function parseServerUrl(url: string) {
  if (!isPostgresUrl(url)) throw invalidUrl('it does not start with postgres://');
  const { host, port, database, user, password, options, ssl, sslnegotiation } = parseUrl(url);
  const number = port ? Number(port) : DEFAULT_PORT;
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw invalidUrl('its port is not a number');
  }
  if (!database) throw invalidUrl('it names no database');
  if (!user) throw invalidUrl('it names no user');
  const address = { host: host || 'localhost', port: number, database, user };
  // No server encrypts on a Unix socket.
  const canEncrypt = !address.host.startsWith('/');
  const encryption =
    typeof ssl === 'object' ? { ...ssl, cert: ssl.cert ?? undefined } : ssl === true;
  return {
    address,
    options: {
      ...address,
      ...(password ? { password } : {}),
      ...(options ? { options } : {}),
      ssl: canEncrypt && encryption,
      ...(canEncrypt && sslnegotiation === 'direct' ? { sslnegotiation } : {}),
    },
  };
}

/** https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Those that svc follows, and those that make no difference to it. */
const SSL_PARAMETERS = /^ssl(?:mode|rootcert|cert|key|negotiation|compression|sni)?$/u;

function parseUrl(url: string): ReturnType<typeof parse> {
  // Users and passwords can have a comma, too.
  const [, , authority = ''] = url.split(/[/?#]/u);
  if (authority.split('@').at(-1)?.includes(',')) throw invalidUrl('it names several hosts');
  // A user without a host, as in `postgres://user@/database?host=/run/postgresql`.
  const whole = URL.canParse(url) ? url : url.replace('@/', '@localhost/');
  if (!URL.canParse(whole)) throw invalidUrl('it is not a valid URL');
  if (/%(?![\da-f]{2})/iu.test(url)) throw invalidUrl('it has a "%" that is not percent-encoded');
  const parts = new URL(whole);
  // A + means a space only in forms of web pages.
  parts.search = parts.search.replaceAll('+', '%2B');
  const { hash, pathname, searchParams: parameters } = parts;
  // The rest of a password with such a character would be shown as host or database.
  if (hash !== '' || pathname.includes('@')) {
    throw invalidUrl('it has a "#", "/" or "@" that is not percent-encoded');
  }
  checkEncryption(parameters);
  try {
    const database = decodeURIComponent(pathname.slice(1));
    return { ...parse(parts.href, { useLibpqCompat: true }), database };
  } catch (error) {
    if (isSystemError(error)) {
      throw invalidUrl(
        `a file that it names cannot be read: ${messageOf(error)}`,
        'check the paths in sslrootcert, sslcert and sslkey, and who can read these files',
      );
    }
    // Its message may quote the URL.
    throw invalidUrl('it is not a valid URL');
  }
}

/** Refuses what would not be followed, and changes what the parser of `pg` reads differently. */
function checkEncryption(parameters: URLSearchParams): void {
  // One that is misspelt, such as `sslMode`, must not leave the connection unencrypted.
  const isUnknown = (name: string) => /^ssl[\w-]*$/iu.test(name) && !SSL_PARAMETERS.test(name);
  const unknown = [...parameters.keys()].find(isUnknown);
  if (unknown !== undefined) throw invalidUrl(`its parameter ${unknown} is not supported`);
  if (!['true', '1', 'false', '0'].includes(parameters.get('ssl') ?? 'false')) {
    throw invalidUrl('its ssl must be true or false; sslmode can be more');
  }
  const mode = parameters.getAll('sslmode').at(-1) ?? 'disable';
  if (!SSL_MODES.includes(mode)) throw invalidUrl(`its sslmode is none of ${SSL_MODES.join(', ')}`);
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) {
    throw invalidUrl('sslmode=verify-ca needs sslrootcert, the file of the authority');
  }
  if (mode === 'allow' || mode === 'prefer') parameters.set('sslmode', 'require');
  if (parameters.has('sslcert') !== parameters.has('sslkey')) {
    throw invalidUrl('sslcert and sslkey need each other');
  }
  if (parameters.get('sslrootcert') === 'system') {
    if (mode !== 'verify-full') throw invalidUrl('sslrootcert=system needs sslmode=verify-full');
    // What Node.js trusts then.
    parameters.delete('sslrootcert');
  }
  // The modes always mean what they mean to libpq.
  if (parameters.get('uselibpqcompat') === 'true') parameters.delete('uselibpqcompat');
}

// A user before the host would be masked like one of a real URL.
const URL_HINT =
  'write it like postgres://HOST:5432/DATABASE?user=USER&sslmode=verify-full, and # % / @ in a password as %23 %25 %2F %40';

function invalidUrl(why: string, hint = URL_HINT): SvcError {
  return new SvcError('STORAGE_URL_INVALID', `storage.url cannot be used: ${why}`, { hint });
}

/** For people: `host:port/database`. */
export function describeAddress({ host, port, database }: ServerAddress): string {
  return `${urlHost(host)}:${port}/${database}`;
}
