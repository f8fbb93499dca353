import type { ChildEnd } from '../child/child-group.js';

/** Why a program did not do what it was for, in a sentence without a full stop. */
export function endFailure(end: ChildEnd, lastErrorLine: string | undefined): string {
  const why = wordsOf(end);
  return lastErrorLine === undefined ? why : `${why}: ${lastErrorLine}`;
}

function wordsOf(end: ChildEnd): string {
  switch (end.kind) {
    case 'exited':
      return `ended with exit code ${end.exitCode}`;
    case 'signalled':
      return `ended by ${end.signal}`;
    case 'not-started':
      return `cannot be started (${end.code})`;
  }
}
