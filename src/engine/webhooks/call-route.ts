import { randomUUID } from 'node:crypto';
import type { LoadedConfig } from '../config/index.js';
import { SvcError, systemErrorCode, systemReason } from '../errors/index.js';
import type { EngineContext } from '../support/context.js';
import { formatBytes } from '../support/format.js';
import { jsonFault } from '../support/json-fault.js';
import { isRecord, parsedJson } from '../support/text.js';
import { IDEMPOTENCY_HEADER } from './map/request-intent.js';
import type { CallOutput } from './output-schemas.js';
import { configuredRoute, type SignedRequest, sendSigned } from './signed-request.js';

/** A call of a configured route. */
export interface RouteCall extends Pick<SignedRequest, 'baseUrl' | 'signal' | 'silenceMs'> {
  readonly routeId: string;
  readonly action: string;
  /** The other fields of the body. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | undefined;
}

/**
 * Performs an action over HTTP with the secret of the route.
 *
 * @throws SvcError WEBHOOK_ROUTE_UNKNOWN, USAGE, SECRET_UNRESOLVED, WEBHOOK_UNREACHABLE; or the signal's reason
 */
export async function callRoute(
  { routeId, action, data, idempotencyKey, ...sending }: RouteCall,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<CallOutput> {
  const route = configuredRoute(routeId, loaded);
  if (route.map !== undefined) {
    throw new SvcError('USAGE', `route ${routeId} maps the bodies of its sender to actions`, {
      hint: 'send an example of such a body with "svc webhook trigger"',
    });
  }
  const { action: other = action } = data;
  if (other !== action) {
    throw new SvcError('USAGE', `--data contains another action: ${JSON.stringify(other)}`, {
      hint: `remove "action" from --data, or pass that action instead of ${action}`,
    });
  }
  const headers = {
    'content-type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_HEADER]: idempotencyKey }),
  };
  const body = JSON.stringify({ ...data, action });
  return sendSigned({ route, body, id: randomUUID(), headers, ...sending }, loaded, context);
}

/**
 * The fields of a body from the command line: JSON, `@FILE` or `-`.
 *
 * @throws SvcError USAGE if it is not a JSON object, or the file cannot be read
 */
export function readCallData(
  argument: string | undefined,
  read: (file: string | undefined) => string,
): RouteCall['data'] {
  if (argument === undefined) return {};
  const text =
    readArgument('--data', argument, read, 'pass JSON, or a readable file after the @') ?? argument;
  const value = parsedJson(text);
  if (!isRecord(value)) {
    throw new SvcError('USAGE', '--data must be a JSON object', {
      hint: 'pass the fields of the action, such as \'{"goal":"Build 1.2.3"}\'',
    });
  }
  // It would be sent as another value than was given.
  const fault = jsonFault(text);
  if (fault !== undefined) {
    throw new SvcError('USAGE', `--data ${fault}`, { hint: 'the listener would reject it' });
  }
  return value;
}

/** `limits.bodyBytes` of a listener can be no higher. */
export const MOST_BODY_BYTES = 104_857_600;

/**
 * Reads what a flag names: `@FILE`, or `-` for stdin.
 *
 * @param read reads a file; undefined reads stdin
 * @returns undefined when the flag contains the text itself
 * @throws SvcError USAGE if the file cannot be read
 */
export function readArgument<Content>(
  flag: string,
  argument: string,
  read: (file: string | undefined) => Content,
  hint: string,
): Content | undefined {
  if (argument !== '-' && !argument.startsWith('@')) return undefined;
  try {
    return read(argument === '-' ? undefined : argument.slice(1));
  } catch (error) {
    const name = argument === '-' ? 'stdin' : argument.slice(1);
    throw new SvcError('USAGE', `${flag}: ${name}: ${systemReason(error)}`, {
      hint:
        systemErrorCode(error) === 'EFBIG'
          ? `a request can have at most ${formatBytes(MOST_BODY_BYTES)}`
          : hint,
      cause: error,
    });
  }
}
