import type { DoctorCheck } from './check.js';
import { archive } from './checks/archive.js';
import { configuration, deprecated } from './checks/configuration.js';
import { documents } from './checks/documents.js';
import { dreaming, schedule } from './checks/dreaming.js';
import { flows, notifications, schedules } from './checks/flows.js';
import { index } from './checks/index-files.js';
import { leftovers } from './checks/leftovers.js';
import { disk, watchers } from './checks/limits.js';
import { clock, modules, runtime } from './checks/machine.js';
import { mcp } from './checks/mcp.js';
import { permissions } from './checks/permissions.js';
import { hooks, tasks } from './checks/programs.js';
import { backend, provider } from './checks/provider.js';
import { reranker } from './checks/reranker.js';
import { secrets } from './checks/secrets.js';
import { storage } from './checks/storage.js';
import { media, vectors } from './checks/vectors.js';
import { webhooks } from './checks/webhooks.js';
import { workspace } from './checks/workspace.js';

/** Every check, in the order in which they are shown. */
export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  configuration,
  deprecated,
  permissions,
  workspace,
  storage,
  backend,
  index,
  archive,
  documents,
  vectors,
  provider,
  reranker,
  media,
  secrets,
  webhooks,
  flows,
  notifications,
  mcp,
  schedules,
  tasks,
  schedule,
  dreaming,
  hooks,
  disk,
  clock,
  runtime,
  modules,
  leftovers,
  watchers,
];

/**
 * The checks that are cheap enough to run in the background: they call no provider, program or model,
 * read no index, and repeat nothing that `overview/` shows of agents.
 */
export const QUIET_CHECKS: readonly DoctorCheck[] = [
  configuration,
  deprecated,
  permissions,
  tasks,
  schedule,
  hooks,
  disk,
  clock,
  runtime,
  modules,
  leftovers,
  watchers,
];
