import type { CheckedSecret, SecretsCheck } from '../engine/secrets/check-secrets.js';
import { formatCount, formatCountOf } from '../engine/support/format.js';
import { wrapSafe } from './fit.js';
import { safeLine, shownPath } from './safe-text.js';
import type { View } from './style.js';

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
  const sum =
    failed === 0
      ? options.style.ok(`${count}: all can be read`)
      : options.style.fault(`${count}: ${formatCount(failed)} cannot be read`);
  return `${[options.style.bold(place), ...blocks, sum].join('\n')}\n`;
}

function renderSecret(secret: CheckedSecret, options: View): readonly string[] {
  const { style, columns } = options;
  const wrap = (text: string) => wrapSafe(text, columns, INDENT.length);
  const { path, location, spoken, length, error } = secret;
  const mark = error === null ? style.ok('✓') : style.fault('✗');
  const found = length === null ? '' : ` · ${LENGTHS[length]}`;
  const at = `${location.line}:${location.column}`;
  return [
    `  ${mark} ${safeLine(path)}  ${style.dim(at)}`,
    `${INDENT}${safeLine(spoken)}${style.dim(found)}`,
    ...(error === null ? [] : wrap(error.message).map((line) => style.fault(line))),
    ...(error?.hint === undefined ? [] : wrap(`→ ${error.hint}`)),
  ].map((line, row) => (row < 2 ? line : `${INDENT}${line}`));
}
