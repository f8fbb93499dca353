import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ownWords } from './own-words.js';

/** Where the command modules of this program lie. */
export interface CommandModules {
  /** Absolute folder that holds `memory/search.js` and its like. */
  readonly dir: string;
  /** `.js` in the built program, `.ts` when run from source. */
  readonly extension: '.js' | '.ts';
}

/** A command line whose command is known. */
export interface Dispatch {
  /** oclif's id, `memory:search`. */
  readonly id: string;
  readonly modulePath: string;
  /** What follows the command's words. */
  readonly argv: string[];
}

const WORD = /^[a-z][a-z0-9-]*$/;
const MAX_WORDS = 3;

/**
 * Finds the command whose words the line begins with, the longest one that exists. Looking at the
 * files themselves spares the ordinary start the reading of oclif's manifest and plugins. Undefined
 * means: let oclif see to it (help, version, plugin commands, a mistyped word).
 */
export function findCommand(
  argv: readonly string[],
  modules: CommandModules,
): Dispatch | undefined {
  if (wantsHelp(argv)) return undefined;
  const words = leadingWords(argv);
  for (let count = words.length; count > 0; count--) {
    const stem = join(modules.dir, ...words.slice(0, count));
    // A command called "index" lies in a folder of that name: oclif drops the last "index".
    const inFolder = join(stem, `index${modules.extension}`);
    const forms =
      words[count - 1] === 'index' ? [inFolder] : [`${stem}${modules.extension}`, inFolder];
    const modulePath = forms.find((path) => existsSync(path));
    if (modulePath === undefined) continue;
    return { id: words.slice(0, count).join(':'), modulePath, argv: argv.slice(count) };
  }
  return undefined;
}

function leadingWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (const word of argv.slice(0, MAX_WORDS)) {
    if (!WORD.test(word)) break;
    words.push(word);
  }
  return words;
}

function wantsHelp(argv: readonly string[]): boolean {
  const own = ownWords(argv);
  return own.includes('--help') || own.includes('-h');
}
