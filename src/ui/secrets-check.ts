import type { CheckedSecret, SecretsCheck } from '../engine/secrets/check-secrets.js';
import { formatCount, formatCountOf } from '../engine/support/format.js';
import { wrapBehind } from './fit.js';
import { safeLine, shownPath } from './safe-text.js';
import { paintedMark, type View } from './style.js';

const INDENT = '    ';

const LENGTHS: Readonly<Record<NonNullable<CheckedSecret['length']>, string>> = {
  long: '24 characters or more',
  short: 'fewer than 24 characters',
  tiny: 'fewer than 8 characters',
};

/** Each secret in the order of the file, then a summary line. */
export function renderSecretsCheck(
  { file, secrets }: Pick<SecretsCheck, 'file' | 'secrets'>,
  options: View,
): string {
  if (file === undefined) return 'no configuration file found\n';
  const place = shownPath(file, options.homeDir);
  if (secrets.length === 0) return `no secrets in ${place}\n`;
  const blocks = secrets.flatMap((secret) => renderSecret(secret, options));
  const failed = secrets.filter(({ resolves }) => !resolves).length;
  const count = formatCountOf(secrets.length, 'secret');
  const summary =
    failed === 0
      ? options.style.ok(`${count}: all can be read`)
      : options.style.fault(`${count}: ${formatCount(failed)} cannot be read`);
  return `${[options.style.bold(place), ...blocks, summary].join('\n')}\n`;
}

function renderSecret(secret: CheckedSecret, options: View): readonly string[] {
  const { style, columns } = options;
  const { path, location, spoken, length, error } = secret;
  const mark = paintedMark(error === null ? 'ok' : 'failed', style);
  const lengthNote = length === null ? '' : ` · ${LENGTHS[length]}`;
  return [
    `  ${mark} ${safeLine(path)}  ${style.dim(`${location.line}:${location.column}`)}`,
    `${INDENT}${safeLine(spoken)}${style.dim(lengthNote)}`,
    ...(error === null ? [] : wrapBehind(INDENT, error.message, columns, style.fault)),
    ...(error?.hint === undefined ? [] : wrapBehind(INDENT, `→ ${error.hint}`, columns)),
  ];
}
