/** Anything that JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * A value as it is stored, or undefined when it is nested too deeply to be written: JSON.parse
 * reads without recursion, JSON.stringify does not write so.
 */
export function toJsonText(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reads a text that {@link toJsonText} made. */
export function fromJsonText(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}
