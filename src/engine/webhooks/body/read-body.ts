import type { IncomingMessage } from 'node:http';

/** The bytes of a body, or why there are none. */
export type ReadBody =
  | { readonly type: 'read'; readonly bytes: Buffer }
  | { readonly type: 'too_large' }
  | { readonly type: 'too_slow' }
  /** The client is gone; nobody reads an answer. */
  | { readonly type: 'closed' };

/** How large a body may be, and how long it may take. */
export interface BodyLimits {
  readonly bodyBytes: number;
  readonly bodyTimeoutSeconds: number;
}

/**
 * Takes in a body. What is announced as too large is refused before a byte of it is read; what is
 * too large or too slow is not read to its end.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<ReadBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.bodyBytes) return Promise.resolve({ type: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: ReadBody): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > limits.bodyBytes) settle({ type: 'too_large' });
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      const [first] = chunks;
      const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      settle({ type: 'read', bytes: whole });
    };
    const onClose = (): void => settle({ type: 'closed' });
    const timer = setTimeout(() => settle({ type: 'too_slow' }), limits.bodyTimeoutSeconds * 1000);
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // Without a listener an aborted request would end the process.
    request.on('error', onClose);
  });
}
