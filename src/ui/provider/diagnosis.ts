import type { Diagnosis } from '../../engine/embeddings/diagnosis/events.js';
import { EXACT_MEASURE } from '../fit.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style } from '../style.js';
import { wrapSpans } from '../wrap.js';
import { type CheckLineOptions, checkLines } from './check-lines.js';

/** A diagnosis whole, for people: the plain twin of the diagnostics screen. */
export function renderDiagnosis(
  diagnosis: Diagnosis,
  title: string,
  options: CheckLineOptions,
): string {
  const columns = options.columns === undefined ? undefined : options.columns - 2;
  const lines = diagnosis.checks.flatMap(({ check, ...outcome }) =>
    checkLines(check, outcome, { ...options, columns }),
  );
  return `${[
    options.style.bold(safeLine(title)),
    ...[...lines, ...verdictLines(diagnosis, { ...options, columns })].map((line) => `  ${line}`),
  ].join('\n')}\n`;
}

/** What it all comes to, in a sentence. */
export function verdictLines(
  diagnosis: Diagnosis,
  { style, columns }: CheckLineOptions,
): readonly string[] {
  const [words, paint] = verdictOf(diagnosis, style);
  if (columns === undefined) return [paint(words)];
  const spans = wrapSpans(words, columns, EXACT_MEASURE);
  return spans.map(({ start, end }) => paint(words.slice(start, end).trimEnd()));
}

function verdictOf(
  { scope, ok, usable, provider, checks }: Diagnosis,
  style: Style,
): readonly [words: string, paint: Paint] {
  if (scope === 'ext') {
    return ok
      ? ['works: the external program answers', style.green]
      : ['broken: the builtin engine answers until this is mended', style.red];
  }
  if (provider === null) return ['no provider: search finds by words alone', style.dim];
  const name = safeLine(provider);
  if (usable === 'primary') return [`works: ${name} embeds`, style.green];
  if (scope === 'named') return [`${name} cannot embed`, style.red];
  const fallback = safeLine(checks.find(({ check }) => check === 'fallback')?.text ?? '');
  if (ok) return [`${name} fails; its fallback ${fallback} embeds instead`, style.yellow];
  return ['broken: search finds by words alone until this is mended', style.red];
}
