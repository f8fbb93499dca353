import type {
  DreamListOutput,
  DreamRunOutput,
  DreamShowOutput,
  NotSweptOutput,
  SweepOutput,
  SweptOutput,
} from '../../engine/dreaming/output-schemas.js';
import { formatCountOf, formatRelativeTime } from '../format.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import type { Style } from '../style.js';
import { alignRows, renderTable } from '../table.js';
import {
  decisionWords,
  memoryWords,
  phaseWords,
  placeWords,
  shortKey,
  triggerWords,
} from './words.js';

const PHASES = ['light', 'rem', 'deep'] as const;

/** The answer of `svc dream list`. */
export function renderSweeps(
  { sweeps }: DreamListOutput,
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  if (sweeps.length === 0) return 'There was no sweep yet; svc dream run makes one.\n';
  const rows = sweeps.map((sweep) => [
    safeLine(sweep.id),
    formatRelativeTime(Date.parse(sweep.startedAt), nowMs),
    triggerWords(sweep),
    outcomeOf(sweep),
    memoryWords(sweep),
  ]);
  const titles = ['sweep', 'when', 'why', 'phases', 'MEMORY.md'];
  return renderTable(
    titles.map((title) => ({ title })),
    rows,
    style,
  );
}

function outcomeOf({ phases, endedAt, trigger }: SweepOutput): string {
  if (trigger === 'promote' || trigger === 'backfill') return '–';
  if (endedAt === null) return 'not ended';
  const failed = PHASES.filter((phase) => phases[phase]?.state === 'failed');
  return failed.length === 0 ? 'ok' : `${failed.join(', ')} failed`;
}

/** The answer of `svc dream show`. */
export function renderSweep({ sweep, entries, said }: DreamShowOutput, style: Style): string {
  const changes = entries.flatMap(({ change, key, text, before, ...place }) => [
    `${changeMark(change, style)} ${safeLine(text)}`,
    ...(before === undefined ? [] : [`    ${style.dim('was')} ${safeLine(before)}`]),
    `    ${style.dim(`${shortKey(key)} · ${placeWords(place)} · score ${place.score.toFixed(2)}`)}`,
  ]);
  const known =
    said.length === 0
      ? []
      : [
          `${formatCountOf(said.length, 'claim')} MEMORY.md said already: ${said.map(shortKey).join(', ')}`,
        ];
  const lines = [
    `${style.bold(safeLine(sweep.id))}  ${triggerWords(sweep)}, ${sweep.startedAt}`,
    ...phaseLines(sweep, style),
    '',
    `MEMORY.md: ${memoryWords(sweep)}`,
    ...changes,
    ...known,
  ];
  return `${lines.join('\n')}\n`;
}

function changeMark(change: DreamShowOutput['entries'][number]['change'], style: Style): string {
  switch (change) {
    case 'add':
      return style.green('  +');
    case 'replace':
      return style.yellow('  ~');
    case 'retire':
      return style.red('  -');
  }
}

function phaseLines({ phases }: SweepOutput, style: Style): readonly string[] {
  const rows = PHASES.flatMap((name) => {
    const phase = phases[name];
    if (phase === undefined) return [];
    const words = phaseWords(phase);
    return [[`  ${name}`, phase.state === 'failed' ? style.red(words) : words]];
  });
  return alignRows(rows, ['left', 'left']);
}

/** The answer of `svc dream run`. */
export function renderRun(
  { sweeps, dryRun }: DreamRunOutput,
  { style, homeDir }: { readonly style: Style; readonly homeDir: string },
): string {
  const parts = sweeps.map((swept) => {
    const title = style.bold(shownPath(swept.workspace, homeDir));
    return 'error' in swept
      ? `${title}  ${failureWords(swept, style)}\n`
      : `${title}\n${sweptLines(swept, dryRun, style).join('\n')}\n`;
  });
  return parts.join('\n');
}

function failureWords({ error }: NotSweptOutput, style: Style): string {
  return style.red(`no sweep: ${safeLine(error.message)}`);
}

function sweptLines(swept: SweptOutput, dryRun: boolean, style: Style): readonly string[] {
  const { sweep, decisions, searches, skipped, reportFaults, modelFaults, remReport } = swept;
  const decided = decisions.flatMap((decision) => [
    `${decision.decision === 'promote' || decision.decision === 'renew' ? style.green('  +') : '  ·'} ${safeLine(decision.text)}`,
    `    ${style.dim(`${shortKey(decision.key)} · ${placeWords(decision)} · score ${decision.score.toFixed(2)} · ${decisionWords(decision, dryRun)}`)}`,
  ]);
  const troubles = [
    ...skipped.map(({ path, reason, detail }) => {
      return `  not read: ${safeLine(path)} (${safeLine(detail ?? reason)})`;
    }),
    ...reportFaults.map((fault) => `  report not written: ${safeLine(fault)}`),
    ...modelFaults.map(
      (fault) => `  the model did not answer, plain words stand: ${safeLine(fault)}`,
    ),
  ];
  const end = dryRun
    ? 'dry run: nothing was written'
    : sweep.written > 0
      ? `svc dream undo takes it back (sweep ${safeLine(sweep.id)})`
      : 'MEMORY.md: nothing written';
  const report =
    remReport === undefined ? [] : ['', ...remReport.trimEnd().split('\n').map(safeLine)];
  return [
    `  ${formatCountOf(searches, 'new search', 'new searches')} taken in`,
    ...phaseLines(sweep, style),
    ...decided,
    ...troubles,
    `  ${style.dim(end)}`,
    ...report,
  ];
}
