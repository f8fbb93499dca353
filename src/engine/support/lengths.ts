import * as z from 'zod/mini';

/** A text or list that is not empty. */
export function nonEmpty() {
  return ofLengths(z.minLength(1));
}

/** A text or list of at most so many characters or items. */
export function atMost(length: number) {
  return ofLengths(z.maxLength(length));
}

/** zod would compare the length of anything that has one, and throw for an object whose length is an object. */
function ofLengths<T extends z.core.$ZodCheck>(check: T): T {
  check._zod.def.when = ({ value }) => typeof value === 'string' || Array.isArray(value);
  return check;
}
