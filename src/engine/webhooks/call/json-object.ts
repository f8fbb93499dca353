import { isRecord } from '../../config/index.js';
import type { JsonObject } from '../../flows/index.js';

/** Whether something that came out of JSON.parse is an object: what is in it is JSON, too. */
export function isJsonObject(parsed: unknown): parsed is JsonObject {
  return isRecord(parsed);
}
