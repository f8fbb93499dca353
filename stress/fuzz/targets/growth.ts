import fc from 'fast-check';
import * as z from 'zod/mini';
import { requireLinear } from '../../growth/growth.js';
import { allowingSvcErrors, PARSERS, regexSubjects } from '../../growth/subjects.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({
  subject: z.string(),
  head: z.string(),
  part: z.string(),
  tail: z.string(),
});

const MOST_CHARS = 262_144;

/** Everything that reads untrusted text: twice the length takes about twice the time. */
export async function openGrowthTarget(): Promise<OpenTarget> {
  const subjects = new Map([...PARSERS, ...regexSubjects()].map((one) => [one.name, one]));
  const inputs = fc.constantFrom(...subjects.values()).chain(({ name, parts }) => {
    const piece = fc.constantFrom(...parts);
    const pieces = (least: number) =>
      fc.array(piece, { minLength: least, maxLength: 3 }).map((some) => some.join(''));
    return fc.record({
      subject: fc.constant(name),
      head: pieces(0),
      part: pieces(1),
      tail: fc.oneof(pieces(0), fc.constantFrom('\0', '\n!')),
    });
  });
  return openTarget({
    inputs,
    schema: inputSchema,
    check: ({ subject, ...growing }) => {
      const found = subjects.get(subject);
      if (found === undefined) throw new Error(`unknown subject ${subject}`);
      requireLinear(allowingSvcErrors(found.work), growing, MOST_CHARS);
    },
  });
}
