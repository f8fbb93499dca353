import type { Diagnosis } from '../../engine/embeddings/diagnosis/events.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
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
    ...lines.map((line) => `  ${line}`),
    `  ${verdictLine(diagnosis, options.style)}`,
  ].join('\n')}\n`;
}

/** What it all comes to, in one line. */
export function verdictLine({ ok, usable, provider, checks }: Diagnosis, style: Style): string {
  const name = safeLine(provider ?? '');
  if (provider === null) return style.dim('no provider: search finds by words alone');
  if (usable === 'primary') return style.green(`works: ${name} embeds`);
  const fallback = safeLine(checks.find(({ check }) => check === 'fallback')?.text ?? '');
  if (ok) return style.yellow(`${name} fails; its fallback ${fallback} embeds instead`);
  return style.red('broken: search finds by words alone until this is mended');
}
