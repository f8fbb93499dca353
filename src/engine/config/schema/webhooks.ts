import * as z from 'zod/mini';
import { integer, key, NOTES, pattern, requiredKey, section, text } from './keys.js';
import { secret } from './secret.js';

const route = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Whether the route is served'),
    path: key(
      pattern(/^\/?[^\s?#/][^\s?#]*$/u, 'a request path without spaces, ? and #'),
      'Request path',
    ),
    sessionKey: requiredKey(text(), 'Session that owns the flows of this route'),
    secret: requiredKey(
      secret(),
      'Shared secret that requests carry, at least 24 characters; see [Secrets](#secrets)',
    ),
    controllerId: key(text(), 'Controller id of the flows created here'),
    description: key(text(), 'Note for operators'),
  });

const limits = () =>
  z.strictObject({
    ratePerWindow: key(integer(1), 'Requests of one client to one route in a window'),
    windowSeconds: key(integer(1), 'Length of the window, in seconds'),
    inFlight: key(integer(1), 'Requests of one client to one route at the same time'),
    bodyBytes: key(integer(1, 104_857_600), 'Size of a request body, in bytes'),
    bodyTimeoutSeconds: key(integer(1), 'How long a body may take to arrive, in seconds'),
    trackedClients: key(integer(1), 'Clients remembered for the limits above'),
  });

/** `plugins.entries.webhooks` (spec/webhooks §2, §8). */
export function webhooks() {
  const routeId = z
    .string()
    .check(z.regex(/^\S(?:.*\S)?$/u))
    .register(NOTES, { form: 'a route id without spaces around it' });
  return z.strictObject({
    enabled: key(z.boolean(), 'Serve the routes'),
    config: section(
      () =>
        z.strictObject({
          routes: key(z.record(routeId, route()), 'Routes by id'),
          limits: section(limits, 'Guards of every route'),
          openapi: key(
            z.boolean(),
            'Serve the OpenAPI document of all routes at `/openapi.json`; anybody may read it',
          ),
        }),
      'Settings',
    ),
  });
}
