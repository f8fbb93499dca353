import { isUtf8 } from 'node:buffer';
import { jsonFault } from './json-fault.js';

/** The JSON of a body, or what is wrong with it, as `body: <what>`. */
export type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** Some clients on Windows begin every text with it. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Reads the bytes of a body as JSON in UTF-8. */
export function parseBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return faulty('is empty');
  if (!isUtf8(bytes)) return faulty('is not UTF-8');
  const whole = bytes.toString('utf8');
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says quotes the text, which may hold what nobody should see.
    return faulty('is not JSON');
  }
  const fault = jsonFault(text);
  return fault === undefined ? { ok: true, value } : faulty(fault);
}

function faulty(error: string): ParsedBody {
  return { ok: false, error: `body: ${error}` };
}
