import { existsSync } from 'node:fs';
import { SvcError } from '../errors/index.js';
import {
  type AgentFormat,
  hasHook,
  type IntegrateWorld,
  type IntegrationScope,
  type ProgramCall,
} from './agent.js';
import { type AgentFile, folderToMake, readAgentFile } from './agent-file.js';
import type { DocumentEditor } from './edit/document-editor.js';
import { jsonEditor } from './edit/json-editor.js';
import { tomlEditor } from './edit/toml-editor.js';
import { type EntrySpec, entrySpecs, type PlacedSpec } from './entry.js';
import {
  addEntry,
  type EditedFile,
  type EditStep,
  type EntryChange,
  inOrderOfRemoval,
  removeEntry,
} from './plan-file.js';
import { isPassing, type MemoryTarget, type ProgramFacts, programCall } from './program.js';
import { type Layer, readLayers } from './receipts.js';
import { shellLine } from './shell-line.js';

/** What a person asked for. */
export interface IntegrationRequest {
  readonly agent: AgentFormat;
  readonly scope: IntegrationScope;
  readonly action: 'add' | 'remove';
  /** What the agent lists the server as. */
  readonly name: string;
  readonly target: MemoryTarget;
  /** Set when active memory is wanted: how long the agent waits for it. */
  readonly hookTimeoutMs: number | undefined;
  readonly program: ProgramFacts;
}

/** What becomes of one file. */
export interface FilePlan {
  readonly file: AgentFile;
  /** Undefined where the file goes. */
  readonly after: string | undefined;
  readonly layers: readonly Layer[];
  readonly changes: readonly EntryChange[];
  /** The outermost folder that goes with the file if nothing else is in it. */
  readonly folder: string | undefined;
}

/** What is to be done for a request, worked out on the files as they are. */
export interface IntegrationPlan {
  readonly request: IntegrationRequest;
  /** Files in which nothing changes are among them. */
  readonly files: readonly FilePlan[];
  /** What runs the server. */
  readonly server: ProgramCall;
  /** The line for the agent's shell; undefined without active memory. */
  readonly hookLine: string | undefined;
  /** Whether there is a sign of the agent on this machine. */
  readonly isDetected: boolean;
  /** Whether svc itself lies where it will not stay. */
  readonly isPassing: boolean;
}

/**
 * Works out what a request changes, and changes nothing.
 *
 * @throws SvcError INTEGRATION_UNSUPPORTED, INTEGRATION_FILE_INVALID, INTEGRATION_CONFLICT, USAGE
 */
export function planIntegration(
  world: IntegrateWorld,
  request: IntegrationRequest,
): IntegrationPlan {
  const { agent, action, hookTimeoutMs, program, target } = request;
  requireName(request.name);
  const server = programCall(program, ['mcp'], target, world);
  const recall = programCall(program, ['memory', 'recall', '--hook', agent.id], target, world);
  if (action === 'add') requirePossible(world, request, server);
  const hookWanted = action === 'remove' || hookTimeoutMs !== undefined;
  const files = filesOf(agent, world, request.scope);
  const hook = hookWanted ? { call: recall, timeoutMs: hookTimeoutMs ?? 0 } : undefined;
  const specs = entrySpecs(agent, files, { name: request.name, server, hook }, program);
  return {
    request,
    files: [...byFile(specs)].map((placed) => planFile(world, request, placed)),
    server,
    hookLine: hookTimeoutMs === undefined ? undefined : shellLine(recall),
    isDetected: agent.signs(world).some((sign) => existsSync(sign)),
    isPassing: isPassing(program),
  };
}

/** How a syntax is edited. */
export const EDITORS: Readonly<Record<'json' | 'toml', DocumentEditor>> = {
  json: jsonEditor,
  toml: tomlEditor,
};

/** The files of an agent that are edited. */
export function filesOf(
  { server, hook }: AgentFormat,
  world: IntegrateWorld,
  scope: IntegrationScope,
): { readonly server: string; readonly hook: string | undefined } {
  return {
    server: server.file(world, scope),
    hook: hasHook(hook) ? hook.file(world, scope) : undefined,
  };
}

/** Agents build the names of tools from it; Gemini CLI splits them at underscores. */
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,40}$/u;

function requireName(name: string): void {
  if (NAME.test(name)) return;
  throw new SvcError('USAGE', `${JSON.stringify(name)} cannot be the name of a server`, {
    hint: 'use letters, digits and hyphens, like svc-notes',
  });
}

function requirePossible(
  { platform }: IntegrateWorld,
  { agent, hookTimeoutMs }: IntegrationRequest,
  { words, env }: ProgramCall,
): void {
  const { title, hook, replaced } = agent;
  if (hookTimeoutMs !== undefined) {
    if (!hasHook(hook)) {
      throw unsupported(`${title} cannot be given active memory: ${hook.why}`, hook.instead);
    }
    if (platform === 'win32') {
      const why = 'on Windows it is not documented which shell runs hooks';
      throw unsupported(`${title} cannot be given active memory: ${why}`, 'leave it out');
    }
  }
  const bad = [...words, ...Object.values(env)].find((word) => replaced?.test(word) === true);
  if (bad === undefined) return;
  throw unsupported(
    `${title} would replace a part of ${JSON.stringify(bad)} by a variable`,
    'give it another path, for instance through a symbolic link',
  );
}

function unsupported(message: string, hint: string): SvcError {
  return new SvcError('INTEGRATION_UNSUPPORTED', message, { hint });
}

interface FileSpecs {
  readonly file: string;
  readonly editor: DocumentEditor;
  readonly specs: readonly EntrySpec[];
}

function byFile(placed: readonly PlacedSpec[]): readonly FileSpecs[] {
  const files = [...new Set(placed.map(({ file }) => file))];
  return files.map((file) => {
    const here = placed.filter((one) => one.file === file);
    const syntax = here[0]?.syntax ?? 'json';
    return { file, editor: EDITORS[syntax], specs: here.map(({ spec }) => spec) };
  });
}

function planFile(
  world: IntegrateWorld,
  { action }: IntegrationRequest,
  { file: path, editor, specs }: FileSpecs,
): FilePlan {
  const file = readAgentFile(path);
  const isNew = file.text === undefined;
  const newFile = isNew ? { folder: folderToMake(file.target) ?? null } : null;
  const where: EditedFile = { file: path, editor, newFile };
  const layers = isNew ? [] : readLayers(world.state, file.target);
  const ordered = action === 'add' ? specs : inOrderOfRemoval(specs, layers);
  const step = action === 'add' ? addEntry : removeEntry;
  let now: EditStep = { text: file.text ?? '', layers, change: undefined };
  const changes: EntryChange[] = [];
  for (const spec of ordered) {
    now = step(where, now, spec);
    if (now.change !== undefined) changes.push(now.change);
  }
  // It was made to hold what has gone now.
  const made = layers.find((layer) => layer.newFile !== null)?.newFile;
  const goes = action === 'remove' && changes.length > 0 && now.text === '' && made !== undefined;
  return {
    file,
    after: goes || (isNew && changes.length === 0) ? undefined : now.text,
    layers: now.layers,
    changes,
    folder: goes ? (made?.folder ?? undefined) : undefined,
  };
}
