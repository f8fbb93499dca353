import type { DoctorCheck } from './check.js';
import { configuration, deprecated } from './checks/configuration.js';
import { archive, documents } from './checks/documents.js';
import { dreaming, schedule } from './checks/dreaming.js';
import { flows, notifications, schedules } from './checks/flows.js';
import { index } from './checks/index-files.js';
import { leftovers } from './checks/leftovers.js';
import { disk, watchers } from './checks/limits.js';
import { mcp, webhooks } from './checks/listeners.js';
import { clock, modules, runtime } from './checks/machine.js';
import { permissions } from './checks/permissions.js';
import { hooks, integrations, tasks } from './checks/programs.js';
import { backend, provider, reranker } from './checks/provider.js';
import { secrets } from './checks/secrets.js';
import { storage } from './checks/storage.js';
import { media, vectors } from './checks/vectors.js';
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
  integrations,
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
export const BACKGROUND_CHECKS: readonly DoctorCheck[] = [
  configuration,
  deprecated,
  permissions,
  tasks,
  schedule,
  integrations,
  hooks,
  disk,
  clock,
  runtime,
  modules,
  leftovers,
  watchers,
];
