import type {
  DreamListOutput,
  DreamRunOutput,
  DreamShowOutput,
  SweepOutput,
  SweepSummaryOutput,
} from '../../engine/dreaming/index.js';
import { formatCountOf, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { Style, View } from '../style.js';
import { alignRows, renderTable } from '../table.js';
import {
  decisionWords,
  evaluationWords,
  isPromotion,
  memoryWords,
  phaseWords,
  placeWords,
  shortKey,
  skippedLines,
  triggerWords,
} from './words.js';

const PHASES = ['light', 'rem', 'deep'] as const;

/** Text of `svc dream list`. */
export function renderSweeps({ sweeps }: DreamListOutput, options: View): string {
  if (sweeps.length === 0) return options.hintFor('No sweeps yet; run one with "svc dream run".\n');
  const rows = sweeps.map((sweep) => [
    safeLine(sweep.id),
    formatRelativeTime(Date.parse(sweep.startedAt), options.nowMs),
    triggerWords(sweep),
    outcomeOf(sweep),
    memoryWords(sweep),
  ]);
  const columns = [
    'sweep',
    { title: 'when', dropOrder: 3 },
    { title: 'trigger', dropOrder: 1 },
    { title: 'phases', dropOrder: 2 },
    'MEMORY.md',
  ];
  return renderTable(columns, rows, options);
}

function outcomeOf({ phases, endedAt, trigger }: SweepOutput): string {
  if (trigger === 'promote' || trigger === 'backfill') return '–';
  if (endedAt === null) return 'unfinished';
  const failed = PHASES.filter((phase) => phases[phase]?.state === 'failed');
  return failed.length === 0 ? 'ok' : `${failed.join(', ')} failed`;
}

/** Text of `svc dream show`. */
export function renderSweep({ sweep, entries, said }: DreamShowOutput, style: Style): string {
  const changes = entries.flatMap(({ change, key, text, before, archive, ...place }) => [
    `${changeMark(change, style)} ${safeLine(text)}`,
    ...(before === undefined ? [] : [`    ${style.dim('was')} ${safeLine(before)}`]),
    ...(archive === undefined ? [] : [`    ${style.dim(`moved to ${safeLine(archive)}`)}`]),
    `    ${style.dim(`${shortKey(key)} · ${placeWords(place)} · score ${place.score.toFixed(2)}`)}`,
  ]);
  const alreadyThere =
    said.length === 0
      ? []
      : [
          `already in MEMORY.md: ${formatCountOf(said.length, 'claim')} (${said.map(shortKey).join(', ')})`,
        ];
  const lines = [
    `${style.bold(safeLine(sweep.id))}  ${triggerWords(sweep)}, ${sweep.startedAt}`,
    ...phaseLines(sweep, style),
    '',
    `MEMORY.md: ${memoryWords(sweep)}`,
    ...changes,
    ...alreadyThere,
  ];
  return `${lines.join('\n')}\n`;
}

function changeMark(change: DreamShowOutput['entries'][number]['change'], style: Style): string {
  const { ok, warning, fault } = style;
  return { add: ok('  +'), replace: warning('  ~'), retire: fault('  -') }[change];
}

function phaseLines({ phases }: SweepOutput, style: Style): readonly string[] {
  const rows = PHASES.flatMap((name) => {
    const phase = phases[name];
    if (phase === undefined) return [];
    const words = phaseWords(phase);
    const row = [`  ${name}`, phase.state === 'failed' ? style.fault(words) : words];
    return phase.hint === undefined ? [row] : [row, ['', `hint: ${safeLine(phase.hint)}`]];
  });
  return alignRows(rows);
}

/** How `svc dream run` is printed. */
export interface RunView extends View {
  /** Whether the phases were already shown as steps on the same terminal. */
  readonly phasesShown: boolean;
  /** Without a flag, commands are about its workspace. */
  readonly defaultAgent: string;
}

/** Text of `svc dream run`. */
export function renderRun({ sweeps, dryRun }: DreamRunOutput, view: RunView): string {
  const { style, homeDir } = view;
  const parts = sweeps.map((swept) => {
    const title = style.bold(shownPath(swept.workspace, homeDir));
    return 'error' in swept
      ? `${title}  ${style.fault(`not swept: ${safeLine(swept.error.message)}`)}\n`
      : `${title}\n${summaryLines(swept, dryRun, view).join('\n')}\n`;
  });
  return parts.join('\n');
}

function summaryLines(
  summary: SweepSummaryOutput,
  dryRun: boolean,
  { style, phasesShown, defaultAgent, hintFor }: RunView,
): readonly string[] {
  const { sweep, decisions, searches, skipped, reportFaults, modelFaults } = summary;
  const { agents, evaluation, remReport } = summary;
  const flag = agents.includes(defaultAgent) ? '' : ` --agent ${agents[0]}`;
  const problems = [
    ...skippedLines(skipped),
    ...reportFaults.map((fault) => `  report not written: ${safeLine(fault)}`),
    ...modelFaults.map((fault) => `  model failed, using plain text: ${safeLine(fault)}`),
  ];
  const isApplied = sweep.memory === 'applied';
  const end = dryRun
    ? 'dry run: nothing was written'
    : isApplied && sweep.written + sweep.retired > 0
      ? hintFor(`undo with "svc dream undo ${safeLine(sweep.id)}${flag}"`)
      : `MEMORY.md: ${memoryWords(sweep)}`;
  const retired =
    isApplied && sweep.retired > 0
      ? [`  ${formatCountOf(sweep.retired, 'entry', 'entries')} moved to the archive`]
      : [];
  const report =
    remReport === undefined ? [] : ['', ...remReport.trimEnd().split('\n').map(safeLine)];
  const phases = [
    `  ${formatCountOf(searches, 'new search', 'new searches')}`,
    ...phaseLines(sweep, style),
  ];
  const evaluationLines = evaluation === undefined ? [] : [`  ${evaluationWords(evaluation)}`];
  return [
    ...(phasesShown ? [] : phases),
    ...decisions.flatMap((decision) => decisionLines(decision, dryRun, style)),
    ...retired,
    ...problems,
    ...(phasesShown ? [] : evaluationLines),
    `  ${style.dim(end)}`,
    ...report,
  ];
}

function decisionLines(
  decision: SweepSummaryOutput['decisions'][number],
  dryRun: boolean,
  style: Style,
): readonly string[] {
  const mark = isPromotion(decision) ? style.ok('  +') : '  ·';
  const facts = [
    shortKey(decision.key),
    placeWords(decision),
    `score ${decision.score.toFixed(2)}`,
    decisionWords(decision, dryRun),
  ];
  return [`${mark} ${safeLine(decision.text)}`, `    ${style.dim(facts.join(' · '))}`];
}
