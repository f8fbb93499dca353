import type { ExplainStatus } from '../http/http-client.js';
import { jsonAt } from '../http/status-fault.js';
import type { VendorFaultDetails } from '../vendor-fault.js';

/**
 * What Google's error bodies say beyond the status: `{error: {status, message, details[]}}`, with
 * details of the kinds ErrorInfo, QuotaFailure and RetryInfo (google.rpc).
 */
export const explainGemini: ExplainStatus = ({ status, body }) => {
  const details = detailsOf(body);
  const message = textAt(body, 'error', 'message') ?? '';
  const reason = details.map((detail) => textAt(detail, 'reason')).find(Boolean);
  const code = reason ?? textAt(body, 'error', 'status');
  const known = code === undefined ? {} : { code };
  if (reason === 'API_KEY_INVALID') return { ...known, kind: 'auth' };
  if (status === 429) return { ...known, ...explainExhausted(details, message) };
  if (status !== 400) return known;
  if (/exceeds the maximum number of tokens/u.test(message)) return { ...known, kind: 'input' };
  // One text of the request is named: the others are not at fault.
  if (/requests\[\d+\]\.content/u.test(message)) return { ...known, kind: 'input' };
  if (/payload size exceeds|requests can be in one batch/u.test(message)) {
    return { ...known, kind: 'too_large' };
  }
  return known;
};

/** A minute's limit and a spent contingent share one status and one code. */
function explainExhausted(
  details: readonly unknown[],
  message: string,
): Partial<VendorFaultDetails> {
  const quotas = details.flatMap((detail) => listAt(detail, 'violations'));
  if (quotas.some((quota) => /PerDay/u.test(textAt(quota, 'quotaId') ?? ''))) {
    return {
      kind: 'quota',
      hint: "the key's contingent for today is spent; it begins anew at midnight Pacific time, or enable billing; what was embedded is kept",
    };
  }
  if (/\blimit: 0\b/u.test(message)) {
    return {
      kind: 'quota',
      hint: 'this model is not in the plan of the key: enable billing for it',
    };
  }
  const delay = details.map((detail) => textAt(detail, 'retryDelay')).find(Boolean);
  // The wait stands in the message too, also where details were left out.
  const waitMs = durationMs(delay ?? /retry in ([\d.]+s)/u.exec(message)?.[1]);
  return waitMs === undefined ? {} : { waitMs };
}

/** A `google.protobuf.Duration` as JSON has it: `33s`, `33.4s`. */
function durationMs(text: string | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/u.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

function detailsOf(body: unknown): readonly unknown[] {
  return listAt(jsonAt(body, 'error'), 'details');
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = jsonAt(value, name);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const text = jsonAt(value, ...path);
  return typeof text === 'string' ? text : undefined;
}
