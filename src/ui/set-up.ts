import type { SetUpPlan } from '../engine/set-up/index.js';
import { renderDiff } from './diff-lines.js';
import { safeLine, shownPath } from './safe-text.js';
import type { Style } from './style.js';

/** A plan in a few lines: what svc will use, and where that is written. */
export function renderPlanSummary(
  { file, diff, provider, keyToStore }: SetUpPlan,
  workspace: string,
  { style, homeDir }: { readonly style: Style; readonly homeDir: string },
): string {
  const key = keyToStore === undefined ? '' : `, key in ${shownPath(keyToStore.file, homeDir)}`;
  const lines = [
    `${style.dim('memory  ')} ${shownPath(workspace, homeDir)}`,
    `${style.dim('search  ')} ${provider === null ? 'keywords' : `keywords and ${safeLine(provider)}`}${key}`,
    `${style.dim('settings')} ${shownPath(file, homeDir)}${diff.length === 0 ? ' (no changes)' : ''}`,
  ];
  return `\n${lines.join('\n')}\n`;
}

/** The changes of the configuration, and the other files that will be written. */
export function renderPlan(
  { file, diff, keyToStore }: SetUpPlan,
  made: readonly string[],
  { style, homeDir }: { readonly style: Style; readonly homeDir: string },
): string {
  const places = diff.map((lines) => renderDiff(lines, { style, columns: undefined }).join('\n'));
  const name = shownPath(file, homeDir);
  const text = places.length === 0 ? `${name}: no changes` : `${name}\n${places.join('\n…\n')}`;
  const files = [...made, ...(keyToStore === undefined ? [] : [keyToStore.file])];
  const also = files.map((path) => `also written: ${shownPath(path, homeDir)}`);
  return `\n${[text, ...also].join('\n')}\n`;
}
