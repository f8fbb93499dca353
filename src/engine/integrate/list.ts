import { existsSync } from 'node:fs';
import { isRecord, valueAt } from '../config/config-path.js';
import { SvcError } from '../errors/index.js';
import {
  type AgentFormat,
  type AgentId,
  hasHook,
  type IntegrateWorld,
  type IntegrationScope,
} from './agent.js';
import { readAgentFile } from './agent-file.js';
import { hookEntry } from './entry.js';
import { EDITORS, filesOf } from './plan.js';
import { isOurScript, type ProgramFacts, serverScript } from './program.js';
import { AGENTS } from './registry.js';

/** What is known of one agent on this machine. */
export interface ListedAgent {
  readonly id: AgentId;
  readonly title: string;
  /** Whether there is a sign of it. */
  readonly isDetected: boolean;
  /** Absolute; where the server is or would be registered. */
  readonly file: string;
  /** The names under which svc is registered. */
  readonly servers: readonly string[];
  /** Where active memory is or would be registered; undefined where the agent cannot have it. */
  readonly hookFile: string | undefined;
  readonly hasHook: boolean;
  /** What keeps a file from being read. */
  readonly fault: SvcError | undefined;
}

/** Agents: whether they are here, and whether svc is registered with them. */
export function listIntegrations(
  world: IntegrateWorld,
  scope: IntegrationScope,
  wanted: readonly AgentId[],
  program: ProgramFacts,
): readonly ListedAgent[] {
  return wanted.map((id) => listed(AGENTS[id], world, scope, program));
}

function listed(
  agent: AgentFormat,
  world: IntegrateWorld,
  scope: IntegrationScope,
  program: ProgramFacts,
): ListedAgent {
  const { id, title } = agent;
  const files = filesOf(agent, world, scope);
  const isDetected = agent.signs(world).some((sign) => existsSync(sign));
  const seen = { id, title, isDetected, file: files.server, hookFile: files.hook };
  try {
    const servers = serversIn(agent, files.server, program);
    return { ...seen, servers, hasHook: isHooked(agent, files.hook), fault: undefined };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { ...seen, servers: [], hasHook: false, fault: error };
  }
}

function serversIn(
  { server }: AgentFormat,
  file: string,
  program: ProgramFacts,
): readonly string[] {
  const { text } = readAgentFile(file);
  if (text === undefined) return [];
  const data = EDITORS[server.syntax].read(file, text);
  return server.maps(data).flatMap((map) => {
    const entries = valueAt(data, map);
    return Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) =>
      isRecord(entry) && isOurScript(serverScript(server.words(entry)), program) ? [name] : [],
    );
  });
}

function isHooked({ id, hook }: AgentFormat, file: string | undefined): boolean {
  if (file === undefined || !hasHook(hook)) return false;
  const { text } = readAgentFile(file);
  if (text === undefined) return false;
  const entry = hookEntry(id, hook, { words: [''], env: {} }, 0);
  return entry.find(EDITORS.json.read(file, text)) !== undefined;
}
