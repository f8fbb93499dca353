import type {
  DreamScheduleOutput,
  DreamStatusOutput,
  DreamSwitchOutput,
} from '../../engine/dreaming/index.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatRelativeTime,
  formatTimeUntil,
} from '../../engine/support/format.js';
import { safeLine, shownPath } from '../safe-text.js';
import { dueWords, renderDueTimes } from '../schedule/list.js';
import type { Style, View } from '../style.js';
import { type Field, fieldLines } from '../table.js';
import { memoryWords, triggerWords } from './words.js';

type WorkspaceStatus = DreamStatusOutput['workspaces'][number];

/** Text of `svc dream status`. */
export function renderDreamStatus(
  { enabled, frequency, workspaces }: DreamStatusOutput,
  options: View,
): string {
  const { style, hintFor } = options;
  const state = enabled ? style.ok('on') : style.warning('off');
  const advice = enabled ? '' : hintFor('; enable it with "svc dream enable"');
  const head = `dreaming is ${state}, schedule ${safeLine(frequency)}${advice}`;
  return [head, ...workspaces.map((status) => workspaceLines(status, options).join('\n'))]
    .map((part) => `${part}\n`)
    .join('\n');
}

function workspaceLines(
  status: WorkspaceStatus,
  { style, nowMs, homeDir }: View,
): readonly string[] {
  const { workspace, agents, claims, recallLog, timeZone } = status;
  const rows: readonly Field[] = [
    ['next sweep', nextWords(status.nextRunAt, timeZone, nowMs)],
    ['last sweep', lastWords(status, nowMs)],
    [
      'claims',
      `${formatCount(claims.open)} open (${formatCount(claims.ready)} passing every gate) · ${formatCount(claims.promoted)} promoted · ${formatCount(claims.rejected)} rejected`,
    ],
    [
      'recall log',
      `${formatBytes(recallLog.bytes)} (limit ${formatBytes(recallLog.mostBytes)})${recallLog.bytes >= recallLog.mostBytes ? '; full: run a sweep to empty it' : ''}`,
    ],
    ['MEMORY.md', memoryFileWords(status, style)],
  ];
  const who = style.dim(agents.map(safeLine).join(', '));
  return [`${style.bold(shownPath(workspace, homeDir))}  ${who}`, ...fieldLines(rows, style)];
}

function nextWords(nextRunAt: string | null, timeZone: string | null, nowMs: number): string {
  if (nextRunAt === null) return 'none';
  return `${dueWords(nextRunAt, timeZone, nowMs)}, if svc serve is running`;
}

function lastWords({ lastSweep, busy }: WorkspaceStatus, nowMs: number): string {
  const now = busy ? 'running now · ' : '';
  if (lastSweep === null) return `${now}none yet`;
  const when = formatRelativeTime(Date.parse(lastSweep.startedAt), nowMs);
  const hasFailed = Object.values(lastSweep.phases).some((phase) => phase?.state === 'failed');
  const problem = hasFailed
    ? ', a phase failed'
    : lastSweep.endedAt === null && !busy
      ? ', interrupted'
      : '';
  return `${now}${when}, ${triggerWords(lastSweep)}${problem}: ${memoryWords(lastSweep)}`;
}

function memoryFileWords({ memory, fault }: WorkspaceStatus, style: Style): string {
  if (memory === null) return style.fault(safeLine(fault ?? 'unreadable'));
  const { promoted, characters, handwritten, maxCharacters } = memory;
  const size = `${formatCount(characters)} of ${formatCount(maxCharacters)} characters`;
  const full =
    handwritten > maxCharacters
      ? style.warning(' · full: your own lines alone are over the budget, so nothing is promoted')
      : '';
  return `${formatCountOf(promoted, 'promoted entry', 'promoted entries')} · ${size}${full}`;
}

/** Text of `svc dream schedule`. */
export function renderSchedule(
  { enabled, frequency, timeZone, runs, crontab, service, timer }: DreamScheduleOutput,
  { nowMs, hintFor }: View,
): string {
  if (crontab !== undefined) return `${crontab}\n`;
  if (service !== undefined && timer !== undefined) {
    const folder = '# /etc/systemd/system/svc-dream';
    return `${folder}.service\n${service}\n${folder}.timer\n${timer}`;
  }
  const whyOff = enabled
    ? undefined
    : hintFor(
        'dreaming is off: run "svc dream enable" to record searches and to let "svc serve" run sweeps',
      );
  return renderDueTimes(frequency, timeZone, runs, { nowMs, whyOff });
}

/** Text of `svc dream enable` and `svc dream disable`. */
export function renderSwitch(
  { enabled, changed, file, path, nextRunAt }: DreamSwitchOutput,
  { homeDir, nowMs, hintFor }: View,
): string {
  const place = shownPath(file, homeDir);
  const state = enabled ? 'on' : 'off';
  const head = changed
    ? `dreaming is now ${state}: set ${path} to ${String(enabled)} in ${place}`
    : `dreaming is already ${state} in ${place}`;
  if (nextRunAt === null) return `${head}\n`;
  const next = formatTimeUntil(Date.parse(nextRunAt), nowMs);
  const cron = hintFor('for cron or systemd see "svc dream schedule"');
  return `${head}\nnext sweep ${next}, if svc serve is running; ${cron}\n`;
}
