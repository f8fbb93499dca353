import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { asSvcError, ERROR_CODES, messageOf, type SvcError } from '../engine/errors/index.js';
import { createSecretMask, type SecretMask } from '../engine/masking/index.js';
import { isRecord, shellWord, suggestName } from '../engine/support/text.js';
import { safeLines } from '../ui/safe-text.js';

/** A failure as it is reported, in text or JSON. */
export type ErrorReport = Pick<SvcError, 'code' | 'message'> &
  Partial<Pick<SvcError, 'details' | 'hint' | 'location'>>;

/**
 * Maps anything thrown to a report without secrets. Errors of oclif's parser become USAGE, unknown errors a BUG.
 *
 * @param mask of this process; without one, only what looks like a secret is masked
 */
export function reportError(error: unknown, mask: SecretMask = createSecretMask()): ErrorReport {
  return mask.data(unmaskedReport(error));
}

/** An error as one line of a screen: a fault in a file is not understood without the file. */
export function failureWords(error: unknown, mask: SecretMask): string {
  const { message, hint, location } = reportError(error, mask);
  const place = location === undefined ? '' : `${location.file}:${location.line}: `;
  return `${place}${message}${hint === undefined ? '' : `; ${hint}`}`;
}

function unmaskedReport(error: unknown): ErrorReport {
  const known = asSvcError(error);
  if (known !== undefined) {
    const { code, hint, location, details } = known;
    const message = code === 'USAGE' ? parserMessage(known.message) : known.message;
    return { code, message, hint, location, details };
  }
  if (isUsageError(error)) return { code: 'USAGE', ...usageProblem(error) };
  return {
    code: 'BUG',
    message: messageOf(error),
    hint: 'this is a bug in svc: run the command again with --verbose, and report the output together with the archive that "svc bug-report" writes',
  };
}

export const HELP_HINT = 'run the command with --help for its arguments and flags';

/** An error of oclif's parser, in words that fit the rest of svc. */
function usageProblem(error: Error): { readonly message: string; readonly hint: string } {
  const { args, flags, parse }: ParserError = error;
  if (Array.isArray(flags)) return unknownFlag(String(flags[0]), namesOf('flags', parse));
  if (Array.isArray(args) && error.message.startsWith('Missing')) {
    const missing = args.map((arg) => argumentName(arg)).join(', ');
    const noun = args.length === 1 ? 'argument' : 'arguments';
    return { message: `missing ${noun}: ${missing}`, hint: HELP_HINT };
  }
  const [extra] = Array.isArray(args) ? args : [];
  // After another argument, it may be a word of a text that needs quotes.
  const isAlone = namesOf('args', parse).length === 0;
  const isWorkspace = isAlone && isFolder(extra) && namesOf('flags', parse).includes('workspace');
  const hint = isWorkspace ? `did you mean --workspace ${shellWord(extra)}?` : HELP_HINT;
  const message = parserMessage(error.message).replaceAll(
    /(?<=\bmissing flag: --)[\w-]+/gu,
    (name) => `${name}${meaningOf(knownOf('flags', parse)[name])}`,
  );
  return { message, hint };
}

function isFolder(value: unknown): value is string {
  // With a slash behind it, a file does not exist.
  return typeof value === 'string' && value !== '' && existsSync(`${value}/`);
}

/** What the parser's errors carry; declared by oclif, but offered by none of its entry points. */
interface ParserError extends Error {
  readonly args?: unknown;
  readonly flags?: unknown;
  readonly parse?: unknown;
}

/** How many: of a list, of what a search returns, and of a log, also as other programs call it. */
const LIMITS: readonly string[] = ['limit', 'max-results', 'lines', 'tail', 'n'];

function unknownFlag(typed: string, known: readonly string[]) {
  const [name = ''] = typed.replace(/^-+/u, '').split('=');
  const others = LIMITS.includes(name) ? LIMITS : [];
  const near = suggestName(name, known) ?? others.find((other) => known.includes(other));
  const dashes = 'put -- before words that start with a hyphen';
  return {
    message: `unknown flag: ${typed}`,
    hint: near === undefined ? `${HELP_HINT}; ${dashes}` : `did you mean --${near}?`,
  };
}

function namesOf(kind: 'args' | 'flags', parse: unknown): readonly string[] {
  return Object.keys(knownOf(kind, parse));
}

/** What the command has. */
function knownOf(kind: 'args' | 'flags', parse: unknown): Readonly<Record<string, unknown>> {
  const input = isRecord(parse) ? parse['input'] : undefined;
  const known = isRecord(input) ? input[kind] : undefined;
  return isRecord(known) ? known : {};
}

/** `PATH (a file or a citation)`. */
function argumentName(arg: unknown): string {
  return isRecord(arg) ? `${String(arg['name']).toUpperCase()}${meaningOf(arg)}` : '';
}

/** ` (one of: bash, zsh)`, or what an argument or a flag means. */
function meaningOf(known: unknown): string {
  if (!isRecord(known)) return '';
  const { description, summary = description, options } = known;
  if (Array.isArray(options)) return ` (one of: ${options.join(', ')})`;
  const words = String(summary ?? '').replace(/\.$/u, '');
  const uncapitalized = words.replace(/^[A-Z](?![A-Z])/u, (first) => first.toLowerCase());
  return words === '' ? '' : ` (${uncapitalized})`;
}

/** The exit code for a report; the only place where errors become exit codes. */
export function exitCodeOf(report: ErrorReport): number {
  return ERROR_CODES[report.code].exit;
}

/** The lines for stderr: what failed, where, why, what to do. Paths in them may be anybody's. */
export function formatErrorText(report: ErrorReport): string {
  const location = report.location;
  const lines = [`error: ${report.message}`];
  if (location !== undefined)
    lines.push(`   at: ${location.file}:${location.line}:${location.column}`);
  if (report.hint !== undefined) lines.push(` hint: ${report.hint}`);
  return `${safeLines(lines.join('\n'))}\n`;
}

const PARSER_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Unexpected arguments?: /u, 'unexpected argument: '],
  [/^Unexpected argument:$/u, 'unexpected argument: ""'],
  [/^Missing required flag (\S+)$/u, 'missing flag: --$1'],
  [/^Flag (--\S+) expects a value$/u, '$1 needs a value'],
  [/^Flag (--\S+) expects one of these values: (.*)$/u, '$1 must be one of: $2'],
  [/^Flag (--\S+) can only be specified once$/u, '$1 can be given only once'],
  [/^Expected (--[\w-]+)=(.*) to be one of: (.*)$/su, '$1 must be one of: $3 (got "$2")'],
  [/^Expected an integer but received: ?(.*)$/su, 'must be a whole number (got "$1")'],
  [
    /^Expected an integer greater .* to (\S+) but received: (.*)$/su,
    'must be at least $1 (got $2)',
  ],
  [/^Expected an integer less .* to (\S+) but received: (.*)$/su, 'must be at most $1 (got $2)'],
  [
    /^(--[\w-]+)(?:=\S*)? cannot also be provided when using (--\S+)$/u,
    '$1 cannot be combined with $2',
  ],
  [/^All of the following must be provided when using (--\S+): (.*)$/u, '$1 requires $2'],
];

/**
 * A message of oclif's parser on one line and in svc's words. The parser adds a heading above and a line about
 * --help below, and puts the name of a flag before what the flag's own parser said.
 */
function parserMessage(message: string): string {
  const [, flag, rest = ''] = /^Parsing (--\S+)\s(.*)$/su.exec(message) ?? [];
  const problems = stripVTControlCharacters(flag === undefined ? message : rest)
    .replace(/(?<!\s)\s*See more help with --help\s*$/u, '')
    .replace(/^The following errors? occurred:\s+/u, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) =>
      PARSER_WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), line),
    )
    .join('; ');
  if (flag === undefined) return problems;
  return `${flag}${problems.startsWith('must ') ? '' : ':'} ${problems}`;
}

function isUsageError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('oclif' in error)) return false;
  const { oclif } = error;
  return typeof oclif === 'object' && oclif !== null && 'exit' in oclif && oclif.exit === 2;
}
