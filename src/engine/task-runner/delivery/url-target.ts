import got, { CancelError, RequestError, TimeoutError } from 'got';
import { Webhook } from 'standardwebhooks';
import { messageOf, networkWords, PROXY_FAULT, SvcError } from '../../errors/index.js';
import type { Clock } from '../../support/context.js';
import {
  DELIVERY_TIMEOUT_MS,
  type DeliveryOutcome,
  type NotificationTarget,
} from './notification-delivery.js';

/** Only the status of an answer matters. */
const MOST_ANSWER_BYTES = 65_536;
/** The receiver wants no more notifications (Standard Webhooks). */
const GONE = 410;
const SECRET_PREFIX = 'whsec_';

interface UrlTargetOptions {
  readonly url: string;
  /** `whsec_` and Base64, as in Standard Webhooks, or any other text, whose bytes are the key. */
  readonly secret: string;
  /** Where it is configured, for errors. */
  readonly owner: string;
  readonly clock: Clock;
}

/**
 * Posts notifications as JSON to a URL, signed as in Standard Webhooks: the headers are `webhook-id` (the same
 * for every attempt), `webhook-timestamp` and `webhook-signature`. Redirects are not followed. A 2xx status
 * means delivered.
 *
 * @throws SvcError NOTIFY_SECRET_INVALID
 */
export function urlTarget({ url, secret, owner, clock }: UrlTargetOptions): NotificationTarget {
  const signer = signerOf(secret, owner);
  return {
    send: async ({ notificationId, payload }, signal) => {
      const at = new Date(clock.now());
      const pending = got.post(url, {
        body: payload,
        headers: {
          'user-agent': 'svc',
          'content-type': 'application/json',
          'webhook-id': notificationId,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': signer.sign(notificationId, at, payload),
        },
        signal,
        timeout: { request: DELIVERY_TIMEOUT_MS },
        followRedirect: false,
        throwHttpErrors: false,
        // The outbox retries, also after a restart.
        retry: { limit: 0 },
        responseType: 'buffer',
      });
      void pending.on('downloadProgress', ({ transferred }) => {
        if (transferred > MOST_ANSWER_BYTES) pending.cancel();
      });
      let status: number | undefined;
      // got's own event comes after the body.
      void pending.on('request', (request) => {
        request.once('response', ({ statusCode }) => {
          status = statusCode;
        });
      });
      try {
        status = (await pending).statusCode;
      } catch (error) {
        // With a status the receiver has answered, whatever became of the rest.
        if (status === undefined) {
          signal.throwIfAborted();
          return { ok: false, error: faultText(error) };
        }
      }
      return outcomeOf(status);
    },
  };
}

function signerOf(secret: string, owner: string): Webhook {
  try {
    return secret.startsWith(SECRET_PREFIX)
      ? new Webhook(secret)
      : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
  } catch {
    throw new SvcError('NOTIFY_SECRET_INVALID', `the secret of ${owner} cannot be used`, {
      hint: 'the part after whsec_ must be Base64; create one with: echo "whsec_$(openssl rand -base64 32)"',
    });
  }
}

function outcomeOf(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { ok: true };
  const error =
    status >= 300 && status < 400
      ? `the endpoint sent a redirect (${status}), which is not followed`
      : `the endpoint answered ${status}`;
  return { ok: false, error, permanent: status === GONE };
}

/** URLs can contain secrets, and the library's messages contain URLs. */
function faultText(error: unknown): string {
  if (error instanceof TimeoutError) return 'the endpoint did not answer in time';
  if (error instanceof CancelError) return 'the answer of the endpoint is too large';
  if (!(error instanceof RequestError)) return messageOf(error);
  const { code } = error;
  // That message is svc's own.
  const fallback = code === PROXY_FAULT ? error.message : code;
  return `the endpoint cannot be reached: ${networkWords(code, fallback).message}`;
}
