import { isRecord } from '../../config/index.js';
import { parsedJson } from '../../parse-json.js';
import { SecretFault, type SecretLookup } from '../secret-fault.js';

/** The version of requests and replies (facts §3.3). */
const PROTOCOL_VERSION = 1;

/** What a program reads from stdin: one JSON document. */
export function programRequest(alias: string, ids: readonly string[]): string {
  return JSON.stringify({ protocolVersion: PROTOCOL_VERSION, provider: alias, ids });
}

/** How a reply is read. */
export interface ReplyOptions {
  /** What was asked for. */
  readonly ids: readonly string[];
  readonly jsonOnly: boolean;
  /** What to do about a reply that is none. */
  readonly hint: string;
}

/**
 * Reads what a program wrote to stdout: `{"protocolVersion":1,"values":{…},"errors":{…}}`. Without
 * `jsonOnly` and with one id, other text than a JSON object is the value (facts §3.3).
 *
 * @throws SecretFault for what is no reply
 */
export function readReply(stdout: Buffer, options: ReplyOptions): SecretLookup {
  const { ids, jsonOnly, hint } = options;
  const text = decode(stdout, hint).trim();
  if (text === '') throw new SecretFault('the program printed nothing', hint);
  const reply = parsedJson(text);
  if (isRecord(reply)) return replyLookup(reply, hint);
  if (!jsonOnly && ids.length === 1) return valueLookup(typeof reply === 'string' ? reply : text);
  if (jsonOnly) throw new SecretFault('the program printed no JSON object', hint);
  throw new SecretFault(
    `the program printed one value and was asked for ${ids.length}`,
    'use a provider of its own for each of them, or answer in JSON',
  );
}

function decode(stdout: Buffer, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(stdout);
  } catch {
    throw new SecretFault('what the program printed is not UTF-8 text', hint);
  }
}

function valueLookup(value: string): SecretLookup {
  return () =>
    value === ''
      ? new SecretFault('the program printed an empty value', 'check what the program looks up')
      : value;
}

function replyLookup(reply: Record<string, unknown>, hint: string): SecretLookup {
  const { protocolVersion, values, errors = {} } = reply;
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new SecretFault(
      `the program's answer has no "protocolVersion": ${PROTOCOL_VERSION}`,
      hint,
    );
  }
  if (!isRecord(errors) || !(values === undefined || isRecord(values))) {
    throw new SecretFault('"values" or "errors" of the program\'s answer is no object', hint);
  }
  return (id) => {
    // "constructor" is a valid id.
    if (Object.hasOwn(errors, id)) return new SecretFault(reportedWords(errors[id]), hint);
    const value = values !== undefined && Object.hasOwn(values, id) ? values[id] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    return new SecretFault(
      value === undefined
        ? "the program's answer has no value for it"
        : "the program's value for it is not a non-empty string",
      hint,
    );
  };
}

const REPORTED: ReadonlyMap<unknown, string> = new Map([
  ['NOT_FOUND', 'the program knows no such id'],
  ['AMBIGUOUS_DUPLICATE_KEY', 'the program knows more than one value for it'],
]);

/** Only codes that are known are shown: messages of other programs may quote secrets. */
function reportedWords(error: unknown): string {
  const code = isRecord(error) ? error['code'] : undefined;
  return REPORTED.get(code) ?? 'the program reports an error for it';
}
