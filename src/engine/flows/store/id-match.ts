import { ID_MOMENT_AT } from '../ids.js';

/** The condition that finds an id, by the index that begins with its tail; binds it as `@id`. */
export const ID_IS = `substr(id, ${ID_MOMENT_AT + 1}) = substr(@id, ${ID_MOMENT_AT + 1}) AND id = @id`;

/** Ids that begin alike are told apart by no fewer digits than this. */
const LEAST_PREFIX = 4;

/** A pattern for GLOB that matches ids beginning so; undefined for what can begin no id. */
export function idPattern(prefix: string): string | undefined {
  const plain = prefix.toLowerCase();
  return plain.length >= LEAST_PREFIX && /^[0-9a-f-]+$/u.test(plain) ? `${plain}*` : undefined;
}
