import { isRecord, parsedJson } from '../../support/text.js';

/** More text is not a document that anybody searches. */
export const MOST_TEXT_CHARS = 8 * 1024 * 1024;
export const EXTRACTION_MS = 30_000;
/** Of the heap; with buffers and the program itself twice as much. */
export const MEMORY_LIMIT_BYTES = 512 * 1024 * 1024;

/** The signal that ends a process beyond this limit. */
export const OUT_OF_MEMORY = 'SIGABRT';

/** The text of a file, or why there is none. */
export type Extraction =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: ExtractionFault; readonly detail?: string };

type ExtractionFault =
  | 'depth'
  | 'encrypted'
  | 'interrupted'
  | 'invalid'
  | 'library'
  | 'memory'
  | 'process'
  | 'text'
  | 'time';

/** The bytes of an extraction as JSON, which escapes some characters. */
export const MOST_JSON_BYTES = 6 * MOST_TEXT_CHARS;

/** An extraction that was written as JSON; undefined for anything else. */
export function parseExtraction(json: string): Extraction | undefined {
  const value = parsedJson(json);
  return isExtraction(value) ? value : undefined;
}

function isExtraction(value: unknown): value is Extraction {
  return isRecord(value) && 'ok' in value;
}

/** An extracted text within the limit. */
export function limitedText(text: string): Extraction {
  return text.length > MOST_TEXT_CHARS ? { ok: false, fault: 'text' } : { ok: true, text };
}
