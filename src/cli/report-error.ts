import { ERROR_CODES, type ErrorCode, messageOf, SvcError } from '../engine/errors/index.js';
import { createSecretMask, type SecretMask } from '../engine/secrets/mask/secret-mask.js';

/** What is known of a failure once it has left the engine. */
export interface ErrorReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly location?: { readonly file: string; readonly line: number; readonly column: number };
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Maps anything thrown to a report without secrets. oclif's own parse errors become USAGE; the
 * unknown is a BUG.
 *
 * @param mask of this process; without one, only what looks like a secret is masked
 */
export function reportError(error: unknown, mask: SecretMask = createSecretMask()): ErrorReport {
  return mask.data(unmaskedReport(error));
}

function unmaskedReport(error: unknown): ErrorReport {
  if (error instanceof SvcError) {
    return {
      code: error.code,
      message: error.code === 'USAGE' ? withoutParserWords(error.message) : error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.location === undefined ? {} : { location: error.location }),
      ...(error.details === undefined ? {} : { details: error.details }),
    };
  }
  if (isUsageError(error)) {
    const message = withoutParserWords(messageOf(error));
    return { code: 'USAGE', message, hint: usageHint(message) };
  }
  return {
    code: 'BUG',
    message: messageOf(error),
    hint: 'this is a bug in svc: run the command again with --verbose and report what it prints',
  };
}

function usageHint(message: string): string {
  const help = 'add --help to see what the command takes';
  return message.startsWith('Nonexistent flag')
    ? `${help}; put -- before words that begin with a hyphen`
    : help;
}

/** The process exit code of a report; the only place where errors become exit codes. */
export function exitCodeOf(report: ErrorReport): number {
  return ERROR_CODES[report.code].exit;
}

/** The lines for stderr: what failed, where, why, what to do. */
export function formatErrorText(report: ErrorReport): string {
  const place = report.location;
  const lines = [`error: ${report.message}`];
  if (place !== undefined) lines.push(`   at: ${place.file}:${place.line}:${place.column}`);
  if (report.hint !== undefined) lines.push(` mend: ${report.hint}`);
  return `${lines.join('\n')}\n`;
}

/**
 * oclif's parser spreads a message over lines, with a heading above and a line about --help below,
 * also those of errors that a flag's own parser threw. Ours are one line, and the hint says the rest.
 */
function withoutParserWords(message: string): string {
  return message
    .replace(/\s*See more help with --help\s*$/u, '')
    .replace(/^Parsing (--\S+)\s+/u, '$1: ')
    .replace(/^The following errors? occurred:\s+/u, '')
    .replaceAll(/\s*\n\s*/gu, '; ');
}

function isUsageError(error: unknown): boolean {
  if (!(error instanceof Error) || !('oclif' in error)) return false;
  const { oclif } = error;
  return typeof oclif === 'object' && oclif !== null && 'exit' in oclif && oclif.exit === 2;
}
