import type { CheckState, DoctorReport } from '../../engine/doctor/check.js';
import type { Finding, FindingPlace } from '../../engine/doctor/finding.js';
import type { Paint, Style } from '../style.js';

/** What stands before a check that has not ended yet. */
export type WaitingState = 'running' | 'waiting';

/** What stands before a check or a finding; colour only adds to it. */
export const MARKS: Readonly<Record<CheckState | Finding['severity'] | WaitingState, string>> = {
  fault: '✗',
  note: '·',
  off: '–',
  ok: '✓',
  running: '●',
  waiting: '○',
  warning: '!',
};

/** The colour that goes with a mark. */
export function paintOf(state: keyof typeof MARKS, style: Style): Paint {
  switch (state) {
    case 'fault':
      return style.red;
    case 'warning':
      return style.yellow;
    case 'ok':
      return style.green;
    case 'running':
      return style.cyan;
    case 'note':
    case 'off':
    case 'waiting':
      return style.dim;
  }
}

/** `9 ok · 1 warning · 2 faults`. */
export function countWords({ ok, warnings, faults }: DoctorReport['counts']): string {
  return [`${ok} ok`, plural(warnings, 'warning'), plural(faults, 'fault')].join(' · ');
}

/** `2 faults`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `svc.json:4:5`, as editors and terminals take it; the caller shortens the path. */
export function placeText({ line, column }: FindingPlace, file: string): string {
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}
