import type { FilePlan, IntegrationPlan, ListedAgent } from '../../engine/integrate/index.js';
import { renderDiff } from '../code-frame.js';
import { fitMiddle } from '../fit.js';
import { safeLine, shownPath } from '../safe-text.js';
import type { View } from '../style.js';
import { renderTable } from '../table.js';

const PART_WORDS = {
  capture: 'a capture hook',
  hook: 'the active memory hook',
  server: 'the server',
  settings: 'active memory',
} as const;

/** The changes of a plan, file by file, or one line if there are none. */
export function renderPlan(plan: IntegrationPlan, options: View): string {
  const blocks = plan.files.flatMap((file) => changeBlocks(file, options));
  return blocks.length === 0 ? nothingToDo(plan, options) : `${blocks.join('\n\n')}\n`;
}

/** What was done, and the next step for the user. */
export function renderIntegration(plan: IntegrationPlan, { homeDir }: View): string {
  const { request, files } = plan;
  const lines = files
    .filter(({ changes }) => changes.length > 0)
    .map(({ file, after }) => {
      const path = shownPath(file.path, homeDir);
      return after === undefined ? `removed ${path}, which had no other content` : `wrote ${path}`;
    });
  if (request.action === 'add') lines.push(`next: ${request.agent.nextStep}`);
  return `${lines.join('\n')}\n`;
}

/** The question before anything is written. */
export function planQuestion({ request, files }: IntegrationPlan, homeDir: string): string {
  const names = files
    .filter(({ changes }) => changes.length > 0)
    .map(({ file }) => shownPath(file.path, homeDir));
  return `${request.action === 'add' ? 'Write' : 'Remove this from'} ${names.join(' and ')}?`;
}

function changeBlocks({ file, changes }: FilePlan, options: View): readonly string[] {
  const { style, homeDir } = options;
  const path = shownPath(file.path, homeDir);
  // A link is followed, so the real file is named too.
  const place = file.target === file.path ? path : `${path} (${shownPath(file.target, homeDir)})`;
  return changes.map(({ part, change, diff }, at) => {
    const newFile = file.text === undefined && at === 0 ? ', a new file' : '';
    const verb = part === 'settings' ? 'enable' : change;
    const head = `${verb} ${PART_WORDS[part]} in ${place}${newFile}`;
    return [style.bold(head), ...renderDiff(diff, options)].join('\n');
  });
}

function nothingToDo({ request, files }: IntegrationPlan, { homeDir, hintFor }: View): string {
  const { agent, action, name } = request;
  const places = files.map(({ file }) => shownPath(file.path, homeDir)).join(', ');
  return action === 'add'
    ? `${safeLine(name)} is already registered with ${agent.title}: ${places}\n`
    : `${safeLine(name)} is not registered with ${agent.title}: ${places}; ${hintFor('"svc integrate --list"')} shows what is\n`;
}

const AGENT_COLUMNS = [
  'agent',
  { title: 'detected', dropOrder: 1 },
  'registered',
  { title: 'active memory', dropOrder: 2 },
  'capture',
  'file',
];

/** The agents as a table, then problems with their files. */
export function renderAgents(
  agents: readonly ListedAgent[],
  { style, homeDir, columns }: View,
): string {
  const rows = agents.map((agent) => [
    agent.agent,
    agent.detected ? 'yes' : 'no',
    serverWords(agent),
    hookWords(agent),
    captureWords(agent),
    shownPath(agent.file, homeDir),
  ]);
  const table = renderTable(AGENT_COLUMNS, rows, { style, columns, fit: fitMiddle });
  const problems = agents.flatMap(({ agent, error, moved, activeMemory, captureMoved }) => [
    ...(error === null ? [] : [`${agent}: ${safeLine(error.message)}`]),
    ...moved.map(({ name, missing, hint }) =>
      safeLine(`${agent}: it cannot start ${name}: ${missing} does not exist; ${hint}`),
    ),
    ...(activeMemory?.why
      ? [`${agent}: its hook recalls nothing: ${safeLine(activeMemory.why)}`]
      : []),
    ...(captureMoved === null
      ? []
      : [
          safeLine(
            `${agent}: it captures nothing: ${captureMoved.missing} does not exist; ${captureMoved.hint}`,
          ),
        ]),
  ]);
  return problems.length === 0 ? table : `${table}\n${problems.join('\n')}\n`;
}

function serverWords({ servers, moved, error }: ListedAgent): string {
  if (error !== null) return 'unknown';
  if (servers.length === 0) return 'no';
  if (servers.length === moved.length) return 'broken';
  const names = servers.map(safeLine).join(', ');
  return names === 'svc' ? 'yes' : `yes (${names})`;
}

function hookWords({ canRecall, activeMemory, error }: ListedAgent): string {
  if (!canRecall) return '–';
  if (error !== null) return 'unknown';
  if (activeMemory === null) return 'no';
  return activeMemory.recalls ? 'yes' : 'off';
}

function captureWords({ canCapture, captures, captureMoved, error }: ListedAgent): string {
  if (!canCapture) return '–';
  if (error !== null) return 'unknown';
  if (captureMoved !== null) return 'broken';
  return captures ? 'yes' : 'no';
}
