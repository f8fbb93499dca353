import type { FilePlan, IntegrationPlan } from '../../engine/integrate/plan.js';
import { renderDiff } from '../diff-lines.js';
import { safeLine } from '../safe-text.js';
import { shownPath } from '../shown-path.js';
import type { Style } from '../style.js';

/** How a plan is shown. */
export interface PlanOptions {
  readonly style: Style;
  /** Width to cut lines to; undefined (a pipe) leaves them whole. */
  readonly columns: number | undefined;
  readonly homeDir: string;
}

const PARTS = { hook: 'active memory', server: 'the server' } as const;

const ACTS = { add: 'add', remove: 'remove', update: 'bring up to date' } as const;

/** What a plan changes, file by file; one line where it changes nothing. */
export function renderPlan(plan: IntegrationPlan, options: PlanOptions): string {
  const blocks = plan.files.flatMap((file) => changeBlocks(file, options));
  return blocks.length === 0 ? nothingToDo(plan, options) : `${blocks.join('\n\n')}\n`;
}

/** What was done, and what is left for the person to do. */
export function renderDone(plan: IntegrationPlan, { homeDir }: PlanOptions): string {
  const { request, files } = plan;
  const lines = files
    .filter(({ changes }) => changes.length > 0)
    .map(({ file, after }) => {
      const path = shownPath(file.file, homeDir);
      return after === undefined ? `removed ${path}, which held nothing else` : `wrote ${path}`;
    });
  if (request.action === 'add') lines.push(`next: ${request.agent.next}`);
  return `${lines.join('\n')}\n`;
}

/** The question before anything is written. */
export function planQuestion({ request, files }: IntegrationPlan, homeDir: string): string {
  const names = files
    .filter(({ changes }) => changes.length > 0)
    .map(({ file }) => shownPath(file.file, homeDir));
  return `${request.action === 'add' ? 'Write' : 'Take this out of'} ${names.join(' and ')}?`;
}

function changeBlocks({ file, changes }: FilePlan, options: PlanOptions): readonly string[] {
  const { style, homeDir } = options;
  const path = shownPath(file.file, homeDir);
  // A link is followed, and the person should know where the text goes.
  const place = file.target === file.file ? path : `${path} (${shownPath(file.target, homeDir)})`;
  const isNew = file.text === undefined ? ', a new file' : '';
  return changes.map(({ part, change, diff }) => {
    const head = `${ACTS[change]} ${PARTS[part]} in ${place}${isNew}`;
    return [style.bold(head), ...renderDiff(diff, options)].join('\n');
  });
}

function nothingToDo({ request, files }: IntegrationPlan, { homeDir }: PlanOptions): string {
  const { agent, action, name } = request;
  const places = files.map(({ file }) => shownPath(file.file, homeDir)).join(', ');
  return action === 'add'
    ? `${safeLine(name)} is already registered with ${agent.title}: ${places}\n`
    : `${safeLine(name)} is not registered with ${agent.title}: ${places}\n`;
}
