import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '@oclif/core/config';
import { readManifest } from './manifest.js';

/** Where the command modules of this program are. */
export interface CommandModules {
  /** Absolute folder that contains `memory/search.js` and the others. */
  readonly dir: string;
  /** `.js` in the built program, `.ts` when run from source. */
  readonly extension: '.js' | '.ts';
  /** Absolute path of the package; its manifest lists the aliases of commands. */
  readonly root: string;
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
 * Finds the longest command that the line starts with. Checking for files spares most starts oclif's manifest
 * and plugins. Undefined where it starts with none (help, version, plugin commands, a mistyped word).
 */
export function findCommand(
  argv: readonly string[],
  modules: CommandModules,
): Dispatch | undefined {
  if (wantsHelp(argv)) return undefined;
  const words = leadingWords(argv);
  for (let count = words.length; count > 0; count--) {
    const named = words.slice(0, count);
    const modulePath = moduleOf(named, modules);
    if (modulePath === undefined) {
      // "mcp token" is a topic, not "mcp" with an argument.
      if (count > 1 && existsSync(join(modules.dir, ...named))) return undefined;
      continue;
    }
    return { id: named.join(':'), modulePath, argv: argv.slice(count) };
  }
  return words.length === 0 ? undefined : findAliased(argv, words, modules);
}

/** `svc "who owns billing"` is `svc memory search "who owns billing"`, unless the words are those of a command. */
export function expandQuestion(
  argv: readonly string[],
  modules: CommandModules,
): readonly string[] {
  const [first = ''] = argv;
  const words = first.trim().split(/\s+/u);
  if (words.length < 2 || first.startsWith('-')) return argv;
  const isCommand =
    words.every((word) => WORD.test(word)) && moduleOf(words, modules) !== undefined;
  return isCommand ? argv : ['memory', 'search', ...argv];
}

function moduleOf(words: readonly string[], modules: CommandModules): string | undefined {
  const stem = join(modules.dir, ...words);
  // A command called "index" is in a folder of that name: oclif drops the last "index".
  const inFolder = join(stem, `index${modules.extension}`);
  const forms = words.at(-1) === 'index' ? [inFolder] : [`${stem}${modules.extension}`, inFolder];
  return forms.find((path) => existsSync(path));
}

function findAliased(
  argv: readonly string[],
  words: readonly string[],
  modules: CommandModules,
): Dispatch | undefined {
  const commands = Object.entries(readManifest(modules.root));
  for (let count = words.length; count > 0; count--) {
    const alias = words.slice(0, count).join(':');
    const [id] = commands.find(([, { aliases }]) => aliases.includes(alias)) ?? [];
    const modulePath = id === undefined ? undefined : moduleOf(id.split(':'), modules);
    if (id === undefined || modulePath === undefined) continue;
    // "svc dream stauts" is a mistyped command of the topic, not an argument of the alias.
    if (count < words.length && existsSync(join(modules.dir, ...words.slice(0, count)))) break;
    return { id, modulePath, argv: argv.slice(count) };
  }
  return undefined;
}

function leadingWords(argv: readonly string[]): string[] {
  const first = argv.slice(0, MAX_WORDS);
  const end = first.findIndex((word) => !WORD.test(word));
  return end === -1 ? first : first.slice(0, end);
}

/** Whether a command line asks for help. */
export function wantsHelp(argv: readonly string[]): boolean {
  const words = wordsBeforeDashes(argv);
  return words.includes('--help') || words.includes('-h');
}

/** The words of a command line that may be flags: those before a `--`. */
export function wordsBeforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** The part of oclif's configuration that parsing and running a command reads. */
export type LeanConfig = Pick<
  Config,
  'bin' | 'root' | 'runHook' | 'scopedEnvVar' | 'scopedEnvVarKey' | 'scopedEnvVarKeys' | 'theme'
>;

/**
 * oclif's configuration without its start-up work: no plugins, no manifest, no search of the disk. Help needs more;
 * see run-with-oclif.ts.
 *
 * @param root absolute path of the package
 */
export function createLeanConfig(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
): LeanConfig {
  const key = (name: string): string => `SVC_${name}`;
  return {
    bin: 'svc',
    root,
    // Hooks belong to plugins, and there are none here.
    runHook: async () => ({ successes: [], failures: [] }),
    scopedEnvVar: (name) => env[key(name)],
    scopedEnvVarKey: key,
    scopedEnvVarKeys: (name) => [key(name)],
    theme: undefined,
  };
}
