import { editJson, requireValidEdit } from '../config/authoring.js';
import {
  type ConfigPath,
  defaultAgentId,
  discoverConfig,
  resolveConfig,
  valueAt,
} from '../config/index.js';
import { SvcError } from '../errors/index.js';
import { PRIVATE_MODE } from '../support/files.js';
import { groupBy } from '../support/lists.js';
import { diffLines } from '../support/text-diff.js';
import {
  type AgentFormat,
  canCapture,
  type HookRun,
  hasHook,
  type IntegrateContext,
  type IntegrationScope,
  isRemote,
  noRecall,
  type ProgramCall,
  type RemoteServer,
  type ServerCall,
  type ServerFormat,
} from './agent.js';
import { EDITORS, folderToCreate, readAgentFile } from './agent-file.js';
import { AGENTS } from './agents.js';
import { jsonEditor } from './edit/json-editor.js';
import { type EntryChange, type EntrySpec, hookSpecs, serverEntry } from './entry.js';
import { otherUsersOfHook } from './list.js';
import type { IntegrateOutput } from './output-schemas.js';
import {
  addEntry,
  type EditedFile,
  type EditStep,
  type FilePlan,
  inOrderOfRemoval,
  isStillNeeded,
  removeEntry,
} from './plan-file.js';
import { type MemoryTarget, type ProgramFacts, programCall, shellLine } from './program.js';
import { readLayers } from './receipts.js';

export interface IntegrationRequest {
  readonly agent: AgentFormat;
  readonly scope: IntegrationScope;
  readonly action: 'add' | 'remove';
  /** The name of the server in the agent. */
  readonly name: string;
  readonly target: MemoryTarget;
  /** A server to register instead of one that the agent starts. */
  readonly remote?: RemoteServer | undefined;
  /** How long the agent waits for active memory; undefined without it. */
  readonly hookTimeoutMs: number | undefined;
  /** Whether the agent captures what was decided. */
  readonly capture: boolean;
  readonly program: ProgramFacts;
}

/** The changes for a request. */
export interface IntegrationPlan {
  readonly request: IntegrationRequest;
  /** Includes files without changes. */
  readonly files: readonly FilePlan[];
  readonly server: ServerCall;
  /** The command line of the hook; undefined without active memory. */
  readonly hookLine: string | undefined;
  /** The command line of the capture hooks; undefined without them. */
  readonly captureLine: string | undefined;
}

/**
 * Computes what a request changes, without changing anything.
 *
 * @throws SvcError INTEGRATION_UNSUPPORTED, INTEGRATION_FILE_INVALID, INTEGRATION_CONFLICT, CONFIG_*,
 *   USAGE
 */
export function planIntegration(
  context: IntegrateContext,
  request: IntegrationRequest,
): IntegrationPlan {
  const { agent, action, capture, hookTimeoutMs, program, target } = request;
  requireName(request.name);
  const server = request.remote ?? programCall(program, ['mcp'], target, context);
  if (action === 'add') requireSupported(context, request, server);
  const [recallRun, captureRun] = hookRuns(context, request);
  const added = [
    ...(hookTimeoutMs !== undefined ? [recallRun] : []),
    ...(capture ? [captureRun] : []),
  ];
  const hooks =
    action === 'add'
      ? added
      : [recallRun, captureRun].filter(
          // One that another server uses stays.
          ({ kind }) => otherUsersOfHook({ context, ...request }, kind).length === 0,
        );
  const { id, server: format, hook } = agent;
  const parts: readonly FilePart[] = [
    { format, specs: [serverEntry(format, request.name, server, program)] },
    ...(hasHook(hook) ? [{ format: hook, specs: hookSpecs(id, hook, hooks) }] : []),
  ];
  // Some agents have both in one file.
  const byFile = groupBy(
    parts.filter(({ specs }) => specs.length > 0),
    (part) => part.format.file(context, request.scope),
  );
  const planned = [...byFile].map(([path, all]) => planFile(context, request, path, all));
  return {
    request,
    // A hook does nothing while active memory is off.
    files:
      hookTimeoutMs === undefined
        ? planned
        : [...planned, planActiveMemory(context, request.scope, target)],
    server,
    hookLine: hookTimeoutMs === undefined ? undefined : shellLine(recallRun.call),
    captureLine: capture ? shellLine(captureRun.call) : undefined,
  };
}

/**
 * Starting svc on a busy machine: it captures in the background. Claude Code gives all commands at the end of a session
 * 1.5 s if none of them has a timeout.
 */
const CAPTURE_MS = 10_000;

function hookRuns(
  context: IntegrateContext,
  { agent: { id }, hookTimeoutMs, program, target }: IntegrationRequest,
): readonly [recall: HookRun, capture: HookRun] {
  const callOf = (...words: readonly string[]): ProgramCall =>
    programCall(program, ['memory', ...words, id], target, context);
  return [
    { kind: 'recall', call: callOf('recall', '--hook'), timeoutMs: hookTimeoutMs ?? 0 },
    { kind: 'capture', call: callOf('capture', '--agent-hook'), timeoutMs: CAPTURE_MS },
  ];
}

/** Whether applying a plan would change anything. */
export function changesFiles({ files }: IntegrationPlan): boolean {
  return files.some(({ changes }) => changes.length > 0);
}

/** Agents build names of tools from it; Gemini CLI splits them at underscores. */
const SERVER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,40}$/u;

function requireName(name: string): void {
  if (SERVER_NAME.test(name)) return;
  throw new SvcError(
    'USAGE',
    `--name must be letters, digits and hyphens (got ${JSON.stringify(name)})`,
    { hint: 'use a name such as svc-notes' },
  );
}

function requireSupported(
  context: IntegrateContext,
  { agent, capture, hookTimeoutMs, scope }: IntegrationRequest,
  server: ServerCall,
): void {
  const { platform } = context;
  const { title, hook, expansion } = agent;
  const obstacle = hookTimeoutMs === undefined ? undefined : noRecall(agent);
  if (obstacle !== undefined) {
    throw unsupported(`${title} does not support active memory: ${obstacle.why}`, obstacle.instead);
  }
  if (capture && !canCapture(agent)) {
    const others = Object.values(AGENTS).filter(canCapture);
    const hint = `register without --capture; supported by: ${others.map(({ id }) => id).join(', ')}`;
    throw unsupported(`${title} does not support --capture`, hint);
  }
  if (capture && hasHook(hook) && hook.syntax === 'script') {
    const file = agent.server.file(context, scope);
    const { text } = readAgentFile(file);
    const why = hook.whyNot(EDITORS[agent.server.syntax].read(file, text ?? ''));
    if (why !== undefined) {
      throw unsupported(
        `${title} does not support --capture here: ${why}`,
        'register without --capture',
      );
    }
  }
  if (platform === 'win32' && (capture || hookTimeoutMs !== undefined)) {
    const feature = hookTimeoutMs === undefined ? 'capturing' : 'active memory';
    const why = 'its documentation does not say which shell runs hooks on Windows';
    const hint = `register without ${hookTimeoutMs === undefined ? '--capture' : '--active-memory'}`;
    throw unsupported(`${feature} is not supported for ${title} here: ${why}`, hint);
  }
  const written = isRemote(server) ? [server.url] : [...server.words, ...Object.values(server.env)];
  const expandable = written.find((word) => expansion?.test(word) === true);
  if (expandable === undefined) return;
  throw unsupported(
    `${title} would expand a variable in ${JSON.stringify(expandable)}`,
    isRemote(server) ? 'use a URL without it' : 'use another path, for instance a symbolic link',
  );
}

function unsupported(message: string, hint: string): SvcError {
  return new SvcError('INTEGRATION_UNSUPPORTED', message, { hint });
}

/** The entries of one kind in a file. */
interface FilePart {
  readonly format: Pick<ServerFormat, 'file' | 'syntax'>;
  readonly specs: readonly EntrySpec[];
}

function planFile(
  context: IntegrateContext,
  { action, scope }: IntegrationRequest,
  path: string,
  parts: readonly [FilePart, ...FilePart[]],
): FilePlan {
  const editor = EDITORS[parts[0].format.syntax];
  const specs = parts.flatMap((part) => part.specs);
  const file = readAgentFile(path);
  const isNew = file.text === undefined;
  const newFile = isNew ? { folder: folderToCreate(file.target) ?? null } : null;
  const edited: EditedFile = { path, editor, newFile };
  const layers = isNew ? [] : readLayers(context.state, file.target);
  const ordered = action === 'add' ? specs : inOrderOfRemoval(specs, layers);
  const step = action === 'add' ? addEntry : removeEntry;
  let current: EditStep = { text: file.text ?? '', layers, change: undefined };
  const changes: EntryChange[] = [];
  for (const spec of ordered) {
    if (action === 'remove' && isStillNeeded(edited, current, spec)) continue;
    current = step(edited, current, spec);
    if (current.change !== undefined) changes.push(current.change);
  }
  // svc created the file, and it is empty now.
  const createdFile = layers.find((layer) => layer.newFile !== null)?.newFile;
  const isRemoved =
    action === 'remove' && changes.length > 0 && current.text === '' && createdFile !== undefined;
  return {
    file,
    after: isRemoved || (isNew && changes.length === 0) ? undefined : current.text,
    layers: current.layers,
    changes,
    folder: isRemoved ? (createdFile?.folder ?? undefined) : undefined,
    mode: MODES[scope],
  };
}

/** A user's file may get secrets later; project files are shared. */
const MODES: Readonly<Record<IntegrationScope, number>> = { user: PRIVATE_MODE, project: 0o644 };

const ACTIVE_MEMORY = ['plugins', 'entries', 'active-memory'] as const;

/**
 * Enables active memory for the agent of a hook, in the configuration that the hook reads: the named one,
 * for a project the nearest one, else the user's. Nothing changes where it is already on.
 *
 * @throws SvcError CONFIG_*, INTEGRATION_FILE_INVALID
 */
function planActiveMemory(
  context: IntegrateContext,
  scope: IntegrationScope,
  { agent, config }: MemoryTarget,
): FilePlan {
  const nearest = scope === 'project' ? discoverConfig(context, undefined).file : undefined;
  const file = readAgentFile(config ?? nearest ?? context.state.userConfigFile);
  const before = file.text ?? '{}\n';
  const { input } = requireValidEdit(file.path, before, before);
  const resolved = resolveConfig(input);
  const settings = resolved.plugins.entries['active-memory'];
  const agentId = agent ?? defaultAgentId(resolved);
  const listed = valueAt(input, [...ACTIVE_MEMORY, 'config', 'agents']);
  const edits: (readonly [ConfigPath, unknown])[] = [];
  if (!settings.enabled) edits.push([[...ACTIVE_MEMORY, 'enabled'], true]);
  if (!settings.config.enabled) edits.push([[...ACTIVE_MEMORY, 'config', 'enabled'], true]);
  if (!settings.config.agents.includes(agentId)) {
    const position = Array.isArray(listed) ? listed.length : 0;
    edits.push([[...ACTIVE_MEMORY, 'config', 'agents', position], agentId]);
  }
  const after = edits.reduce((text, [path, value]) => editJson(text, path, value), before);
  requireValidEdit(file.path, before, after);
  const diff = diffLines(
    file.text === undefined ? '' : jsonEditor.hideOthers(before, ACTIVE_MEMORY),
    jsonEditor.hideOthers(after, ACTIVE_MEMORY),
  );
  return {
    file,
    after,
    layers: [],
    changes: edits.length === 0 ? [] : [{ part: 'settings', change: 'update', diff }],
    folder: undefined,
    mode: PRIVATE_MODE,
  };
}

/** `svc integrate AGENT --json`. @param written whether the plan was applied */
export function integrateOutput(plan: IntegrationPlan, written: boolean): IntegrateOutput {
  const { request, files, server, hookLine, captureLine } = plan;
  return {
    agent: request.agent.id,
    scope: request.scope,
    action: request.action,
    written,
    server: { name: request.name, ...serverFields(server) },
    hook: hookLine ?? null,
    capture: captureLine ?? null,
    changes: files.flatMap(({ file, changes }) =>
      changes.map(({ part, change, diff }) => ({ file: file.path, part, change, diff })),
    ),
  };
}

function serverFields(server: ServerCall): Omit<IntegrateOutput['server'], 'name'> {
  if (!isRemote(server))
    return { command: server.words, env: server.env, url: null, tokenEnv: null };
  return { command: [], env: {}, url: server.url, tokenEnv: server.tokenEnv ?? null };
}
