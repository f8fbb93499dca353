import type { LoadedConfig } from '../../config/index.js';
import { messageOf, SvcError } from '../../errors/index.js';
import type { Clock, EngineContext } from '../../support/context.js';
import { groupBy } from '../../support/lists.js';
import { isRecord, parsedJson } from '../../support/text.js';
import { typeFault } from '../body.js';
import { readArgument } from '../call-route.js';
import type { MapOutput } from '../output-schemas.js';
import { receiverOf } from '../routes.js';
import { configuredRoute, openVerifier } from '../signed-request.js';
import type { RequestHead } from '../verify/schemes.js';
import { type RequestIntent, readIntent } from './request-intent.js';

/** A recorded request, to be tried without a listener. */
export interface RecordedRequest {
  readonly routeId: string;
  /** The bytes as they were sent. */
  readonly body: Buffer;
  /** As JSON, or one per line; undefined if they were not recorded. */
  readonly headers: string | undefined;
  /** When it was received, for signed times; milliseconds since the epoch. */
  readonly atMs: number;
  readonly signal: AbortSignal;
}

/** What a person passes: text, `@FILE`, or `-` for stdin. */
interface RecordedArguments {
  readonly data: string;
  readonly headers?: string | undefined;
  readonly at?: string | undefined;
}

/** @throws SvcError USAGE if a file or the time cannot be read */
export function readRecordedRequest(
  { data, headers, at }: RecordedArguments,
  read: (file: string | undefined) => Buffer,
  clock: Clock,
): Pick<RecordedRequest, 'atMs' | 'body' | 'headers'> {
  const atMs = at === undefined ? clock.now() : Date.parse(at);
  if (Number.isNaN(atMs)) {
    throw new SvcError('USAGE', `--at must be a date and time (got ${JSON.stringify(at)})`, {
      hint: 'such as 2026-03-02T16:12:40Z',
    });
  }
  const bytesOf = (flag: string, argument: string): Buffer =>
    readArgument(flag, argument, read, 'pass a readable file after the @') ?? Buffer.from(argument);
  return {
    atMs,
    body: bytesOf('--data', data),
    // Without the byte order mark with which editors on Windows begin files.
    headers:
      headers === undefined ? undefined : new TextDecoder().decode(bytesOf('--headers', headers)),
  };
}

/**
 * Shows what a route would do with a request: whether it is verified, which rule applies, and what it makes of it.
 *
 * @throws SvcError WEBHOOK_ROUTE_UNKNOWN, USAGE if the headers cannot be read; or the signal's reason
 */
export async function tryMapping(
  { routeId, body: saved, headers, atMs, signal }: RecordedRequest,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<MapOutput> {
  const route = configuredRoute(routeId, loaded);
  const body = withoutLineBreak(saved);
  const head = headOf(headers ?? '{}', body);
  const refusal =
    headers === undefined
      ? 'The headers are unknown: pass them with --headers.'
      : await refusalOf(head, [saved, body], atMs, () =>
          openVerifier(route, loaded, context, signal),
        );
  const error = typeFault(head.headers, route.map !== undefined);
  const intent: RequestIntent =
    error === undefined
      ? readIntent(receiverOf(routeId, route), head, body)
      : {
          type: 'refused',
          event: undefined,
          deliveryId: undefined,
          code: 'unsupported_media_type',
          error,
        };
  return {
    route: routeId,
    verified: headers === undefined ? null : refusal === undefined,
    reason: refusal ?? null,
    event: intent.event ?? null,
    ...outcomeOf(intent),
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Editors and --jq end a file with a line break that was not sent. */
function withoutLineBreak(body: Buffer): Buffer {
  if (body.at(-1) !== LINE_FEED) return body;
  return body.subarray(0, body.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

/** Why the request is not verified with any of these bodies; undefined if it is. */
async function refusalOf(
  head: RequestHead,
  bodies: readonly [Buffer, Buffer],
  atMs: number,
  open: () => ReturnType<typeof openVerifier>,
): Promise<string | undefined> {
  try {
    const { verifier } = await open();
    const check = verifier.checkHead(head, atMs);
    if (!check.ok) return check.error;
    const faults = bodies.map((body) => check.checkBody(body));
    return faults.includes(undefined) ? undefined : faults[0];
  } catch (error) {
    if (error instanceof SvcError && error.code === 'SECRET_UNRESOLVED') return messageOf(error);
    throw error;
  }
}

const NO_DETAILS = { rule: null, action: null, error: null } as const;

function outcomeOf(
  intent: RequestIntent,
): Pick<MapOutput, 'action' | 'error' | 'outcome' | 'rule'> {
  switch (intent.type) {
    case 'refused':
      return { ...NO_DETAILS, outcome: intent.code, error: intent.error };
    case 'challenge':
    case 'ping':
      return { ...NO_DETAILS, outcome: intent.type };
    case 'ignored':
      return { ...NO_DETAILS, outcome: 'ignored', rule: intent.rule ?? null };
    case 'action': {
      const { action, rule = null } = intent;
      const shown = action.action === 'start_flow' ? [action.flow, action.task] : [action];
      return { outcome: 'action', rule, action: shown.map((one) => ({ ...one })), error: null };
    }
  }
}

function headOf(text: string, body: Buffer): RequestHead {
  const byName = groupBy(headersIn(text), ([name]) => name.toLowerCase());
  const distinct: Record<string, string[]> = Object.fromEntries(
    Array.from(byName, ([name, sent]) => [name, sent.map(([, value]) => value)]),
  );
  // Recorded headers often lack it. A byte order mark counts as space.
  distinct['content-type'] ??= [
    /^\s*[[{]/u.test(body.toString('utf8'))
      ? 'application/json'
      : 'application/x-www-form-urlencoded',
  ];
  const headers = Object.entries(distinct).map(([name, values]) => [name, values.join(', ')]);
  return { headers: Object.fromEntries(headers), headersDistinct: distinct };
}

const NAME = /^[^:\s]+$/u;
/** What GitHub shows above the headers of a delivery, and the first line of any request. */
const ABOVE_HEADERS = /^(?:request (?:url|method):|[a-z]+ \S+ http\/)/iu;

function headersIn(text: string): readonly (readonly [string, string])[] {
  const parsed = parsedJson(text);
  if (isRecord(parsed)) {
    return Object.entries(parsed).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, String(one)] as const),
    );
  }
  return text
    .split(/\r?\n/u)
    .filter((line) => line.trim() !== '' && !ABOVE_HEADERS.test(line))
    .map((line) => {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon));
      if (NAME.test(name)) return [name, line.slice(colon + 1).trim()] as const;
      throw new SvcError('USAGE', '--headers must be a JSON object, or lines like "Name: value"', {
        hint: 'copy them from the sender, which shows the requests it sent',
      });
    });
}
