import * as z from 'zod/mini';
import { integer, key, port, section, text } from './keys.js';

/** `gateway`: where the long-lived process listens (configuration reference). */
export function gateway() {
  return z.strictObject({
    host: key(text(), 'Address to listen on'),
    port: key(port(), 'Port to listen on; 0 takes a free one'),
    tls: section(
      () =>
        z.strictObject({
          cert: key(text(), 'PEM file with the certificate chain'),
          key: key(text(), 'PEM file with the private key'),
        }),
      'Serve HTTPS',
    ),
    trustedProxies: key(
      z.array(text()),
      'Addresses or networks whose `X-Forwarded-For` is believed',
    ),
    admin: section(
      () =>
        z.strictObject({
          host: key(text(), 'Address of the listener for health and metrics'),
          port: key(port(), 'Port of the listener for health and metrics'),
        }),
      'A listener of its own for health and metrics',
    ),
    drainSeconds: key(
      integer(0, 3600),
      'Time that requests under way get when the process stops, in seconds',
    ),
  });
}
