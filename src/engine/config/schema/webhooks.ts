import * as z from 'zod/mini';
import { ACTION_NAMES } from '../../flow-model/action-schemas.js';
import { pointerKeys } from '../../support/json-pointer.js';
import { atMost, nonEmpty } from '../../support/lengths.js';
import {
  httpUrl,
  integer,
  key,
  NOTES,
  network,
  pattern,
  refined,
  requiredKey,
  section,
  storedName,
  text,
  waitingTime,
} from './keys.js';
import { secret } from './secrets.js';

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/u;

/** A name without a leading slash is a header, anything else a JSON pointer. */
function headerOrPointer() {
  return refined(
    (value) => HEADER_NAME.test(value) || pointerKeys(value) !== undefined,
    'the name of a header, or a JSON pointer like "/event/id"',
  );
}

const headerName = () => pattern(HEADER_NAME, 'the name of a header');

/** More would only make checks slower. */
const MOST_SECRETS = 8;

const verified = <Scheme extends string>(scheme: Scheme) => ({
  scheme: requiredKey(z.literal(scheme), 'How the sender proves who it is'),
  secrets: requiredKey(
    z
      .array(secret())
      .check(nonEmpty(), atMost(MOST_SECRETS))
      .register(NOTES, { form: `a list of 1 to ${MOST_SECRETS} secrets` }),
    'Valid secrets, so that one can be replaced without an outage; see [Secrets](#secrets)',
  ),
  toleranceSeconds: key(
    integer(1),
    'How far a signed time can be from now, for senders that sign the time',
  ),
});

const vendor = <Scheme extends string>(scheme: Scheme) => z.strictObject(verified(scheme));

const hmac = () =>
  z.strictObject({
    ...verified('hmac'),
    header: requiredKey(headerName(), '`hmac`: header with the signature'),
    algorithm: key(z.enum(['sha256', 'sha512']), '`hmac`: hash function'),
    encoding: key(z.enum(['hex', 'base64']), '`hmac`: how the signature is written'),
    prefix: key(z.string(), '`hmac`: what precedes the signature in its header, such as `sha256=`'),
    timestamp: key(
      headerOrPointer(),
      '`hmac`: header or JSON pointer of the time, in seconds or milliseconds since the epoch',
    ),
    payload: key(
      pattern(
        /^(?:[^{}]|\{timestamp\})*\{body\}(?:[^{}]|\{timestamp\})*$/u,
        'a string with {body} once, and {timestamp} if it is signed',
      ),
      '`hmac`: what is signed, such as `{timestamp}.{body}`',
    ),
  });

const verify = () =>
  z.discriminatedUnion('scheme', [
    vendor('standard-webhooks'),
    vendor('github'),
    vendor('gitlab'),
    vendor('stripe'),
    vendor('slack'),
    vendor('basic'),
    vendor('bearer'),
    hmac(),
  ]);

const scalar = () => z.union([z.string(), z.number(), z.boolean()]);

/** What a mapping rule expects of an event or a value. */
const condition = () =>
  z
    .union([scalar(), z.array(scalar()), z.strictObject({ exists: z.boolean() })])
    .register(NOTES, { form: 'a value, a list of values, or {"exists": true}' });

/** The fields of an action. */
export const actionFields = () =>
  z
    .record(text(), z.unknown())
    .register(NOTES, { form: 'an object of fields; strings can contain {/pointers}' });

const rule = () =>
  z.strictObject({
    when: key(
      z
        .record(text(), condition())
        .register(NOTES, { form: 'an object of conditions by `event` or JSON pointer' }),
      'Conditions that must all hold; without any, the rule always matches',
    ),
    ignore: key(z.boolean(), 'Answer with `acceptedStatus` and do nothing'),
    action: key(z.enum(ACTION_NAMES), 'Action to perform'),
    set: key(actionFields(), 'Fields of the action'),
    task: key(actionFields(), 'With `create_flow`: fields of a `run_task` in the new flow'),
  });

const callback = () => ({
  url: requiredKey(httpUrl(), 'URL to post each notification to'),
  secret: requiredKey(secret(), 'Key to sign posted notifications; see [Secrets](#secrets)'),
});

const route = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Serve the route'),
    path: key(
      pattern(/^(?:\/|\/?[^\s?#/][^\s?#]*)$/u, 'a request path without spaces, ? or #'),
      'Request path',
    ),
    sessionKey: requiredKey(storedName('a name'), 'Session that owns the flows of this route'),
    secret: key(
      secret(),
      'Shared secret of the requests, best with 24 characters or more; required without `verify`; see [Secrets](#secrets)',
    ),
    verify: key(verify(), 'How to verify requests of a sender that does not send `secret`'),
    allow: key(
      z.array(network()).check(nonEmpty()),
      'Networks that can send requests; all if missing',
    ),
    deliveryId: key(
      headerOrPointer(),
      'Header or JSON pointer of the id that makes deliveries idempotent',
    ),
    eventName: key(headerOrPointer(), 'Header or JSON pointer of the event that `map` refers to'),
    dedupeHours: key(integer(1, 24 * 365), 'How long a repeated delivery is recognized, in hours'),
    challenge: key(
      pattern(/^(?:\/(?:[^~/]|~[01])+)$/u, 'a JSON pointer to a top-level field'),
      'Field whose value is returned to senders that check the address, such as `/challenge`',
    ),
    map: key(z.array(rule()), 'Rules that turn bodies into actions; the first match applies'),
    unmatched: key(
      z.enum(['ignore', 'reject']),
      'What to do if no rule matches: answer with `acceptedStatus`, or with 422',
    ),
    acceptedStatus: key(
      z.literal([200, 202]).register(NOTES, { form: '200 or 202' }),
      'Status of the answers `ignored` and `cancel_pending`; 200 for senders that treat 202 as a failure',
    ),
    controllerId: key(text(), 'Controller id of the flows created here'),
    callback: section(
      'Where to send notifications of the flows created here, in addition to `flows.notify`',
      callback,
    ),
    description: key(text(), 'Note for operators'),
  });

const limits = () => ({
  ratePerWindow: key(integer(1), 'Maximum number of requests per client and route in a window'),
  windowSeconds: key(waitingTime('seconds', 1), 'Length of the window, in seconds'),
  inFlight: key(integer(1), 'Maximum number of concurrent requests per client and route'),
  bodyBytes: key(integer(1, 104_857_600), 'Maximum size of a request body, in bytes'),
  bodyTimeoutSeconds: key(waitingTime('seconds', 1), 'Time limit for receiving a body, in seconds'),
  trackedClients: key(
    integer(1),
    'Number of clients that are counted individually; all others share one rate, and are refused while that many have requests in progress',
  ),
});

const deliveries = () => ({
  keep: key(
    integer(0, 100_000),
    'How many verified deliveries to keep per route, in addition to as many unverified ones, at most 100; 0 keeps none and deletes those that were',
  ),
  days: key(integer(1, 3650), 'How long to keep a delivery, in days'),
  maxBodyBytes: key(
    integer(0, 104_857_600),
    'How much to keep of a body, in bytes; a longer one cannot be replayed',
  ),
  maxMegabytes: key(
    integer(1, 100_000),
    'Maximum size of the record, in MB; the oldest deliveries are deleted first',
  ),
});

/** `plugins.entries.webhooks` (spec/webhooks §2, §8). */
export function webhooks() {
  return {
    enabled: key(z.boolean(), 'Serve the routes'),
    config: section('Settings', () => ({
      routes: key(z.record(storedName('a route id'), route()), 'Routes by id'),
      limits: section('Limits of every route', limits),
      deliveries: section('Record of the deliveries that were received', deliveries),
      openapi: key(
        z.boolean(),
        'Serve the OpenAPI document of all routes at `/openapi.json`, without authentication',
      ),
    })),
  };
}
