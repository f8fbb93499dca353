import type { Paint, Style } from './style.js';

/** Marks of checks and findings; colour only repeats them. */
export const MARKS = {
  failed: '✗',
  fault: '✗',
  note: '·',
  off: '–',
  ok: '✓',
  running: '●',
  waiting: '○',
  warning: '!',
} as const;

/** The colour of a mark. */
export function paintOf(state: keyof typeof MARKS, style: Style): Paint {
  switch (state) {
    case 'failed':
    case 'fault':
      return style.fault;
    case 'warning':
      return style.warning;
    case 'ok':
      return style.ok;
    case 'running':
      return style.accent;
    case 'note':
    case 'off':
    case 'waiting':
      return style.dim;
  }
}
