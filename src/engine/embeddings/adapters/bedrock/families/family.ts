import { jsonAt } from '../../../http/status-fault.js';
import type { RequestLimits, VendorAnswer } from '../../../vendor.js';

/** What a family needs to know for one request. */
export interface FamilyCall {
  readonly texts: readonly string[];
  /** What the texts are embedded for, in the family's own words; undefined where it has none. */
  readonly label: string | undefined;
  /** Length of the vectors; undefined where the model has one length only. */
  readonly dimensions: number | undefined;
}

/**
 * Models that take the same request. Bedrock passes a body on as it is and refuses every key that
 * the model does not know, so no family may send a key of another.
 */
export interface Family {
  readonly limits: RequestLimits;
  /** How the family calls the two roles; undefined where it embeds both alike. */
  readonly labels: { readonly document: string; readonly query: string } | undefined;
  /** The length to ask for when none is configured; undefined where none can be asked for. */
  readonly defaultDimensions: number | undefined;
  body(call: FamilyCall): Readonly<Record<string, unknown>>;
  /** Reads the JSON of an answer. @throws VendorFault */
  read(answer: unknown, call: FamilyCall): VendorAnswer;
}

/** One text a request, which is what all families but Cohere's take. */
export function oneText(maxTokens: number, maxChars?: number): RequestLimits {
  return {
    maxInputs: 1,
    maxTokensPerInput: maxTokens,
    maxTokensPerRequest: maxTokens,
    ...(maxChars === undefined ? {} : { maxCharsPerInput: maxChars }),
  };
}

/** The value at the first path that leads somewhere. */
export function firstAt(
  answer: unknown,
  paths: readonly (readonly (number | string)[])[],
): unknown {
  for (const path of paths) {
    const value = jsonAt(answer, ...path);
    if (value !== undefined) return value;
  }
  return undefined;
}
