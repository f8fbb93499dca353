import { singleQuoted } from '../single-quoted.js';
import type { ProgramCall } from './agent.js';

const PLAIN_WORD = /^[A-Za-z0-9_@%+:,./-]+$/u;

/**
 * A call as a line for a POSIX shell, which is what hooks are. Nothing in a word means anything to
 * the shell.
 */
export function shellLine({ words, env }: ProgramCall): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...variables, ...words.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : singleQuoted(word);
}
