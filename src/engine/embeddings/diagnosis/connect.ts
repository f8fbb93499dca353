import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf, SvcError, systemErrorCode } from '../../errors/index.js';
import { networkMessage } from '../http/network-words.js';

/** A connection that was made, and closed again. */
export interface Connected {
  /** From the look-up of the name to the end of the handshake. */
  readonly latencyMs: number;
  readonly tls: boolean;
}

/** A host that drops packets must not be waited for as long as a slow model. */
const TIMEOUT_MS = 10_000;

/**
 * Connects to the host of an address and hangs up: tells an address that cannot be reached from a
 * service that answers with an error. Sends nothing.
 *
 * @throws SvcError PROVIDER_UNREACHABLE, PROVIDER_TIMEOUT; or the signal's reason
 */
export async function connectTo(url: URL, signal: AbortSignal): Promise<Connected> {
  signal.throwIfAborted();
  const tls = url.protocol === 'https:';
  // URL keeps the brackets of an IPv6 address; sockets do not know them.
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  const started = performance.now();
  const socket = tls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain({ host, port });
  try {
    await settled(socket, tls ? 'secureConnect' : 'connect', signal);
    return { latencyMs: performance.now() - started, tls };
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(error, url);
  } finally {
    socket.destroy();
  }
}

class NoAnswer extends Error {}

function settled(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    const timer = setTimeout(() => reject(new NoAnswer('no answer in time')), TIMEOUT_MS);
    signal.addEventListener('abort', stop, { once: true });
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    socket.once(event, () => {
      done();
      resolve();
    });
    // Stays: an error may follow the one that was told.
    socket.on('error', (error) => {
      done();
      reject(error);
    });
  });
}

function unreachable(error: unknown, url: URL): SvcError {
  const timedOut = error instanceof NoAnswer;
  const message = networkMessage(systemErrorCode(error) ?? '', messageOf(error));
  return new SvcError(timedOut ? 'PROVIDER_TIMEOUT' : 'PROVIDER_UNREACHABLE', message, {
    hint: `check that ${url.host} can be reached from here`,
    cause: error,
  });
}
