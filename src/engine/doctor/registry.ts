import type { DoctorCheck } from './check.js';
import { backend } from './checks/backend.js';
import { clock } from './checks/clock.js';
import { configuration } from './checks/configuration.js';
import { deprecated } from './checks/deprecated.js';
import { disk } from './checks/disk.js';
import { dreaming } from './checks/dreaming.js';
import { index } from './checks/index-files.js';
import { leftovers } from './checks/leftovers.js';
import { media } from './checks/media.js';
import { modules } from './checks/modules.js';
import { permissions } from './checks/permissions.js';
import { provider } from './checks/provider.js';
import { runtime } from './checks/runtime.js';
import { schedule } from './checks/schedule.js';
import { secrets } from './checks/secrets.js';
import { tasks } from './checks/tasks.js';
import { vectors } from './checks/vectors.js';
import { watchers } from './checks/watchers.js';
import { webhooks } from './checks/webhooks.js';
import { workspace } from './checks/workspace.js';

/** Every check, in the order in which they are shown. A new one is a file in checks/ and a line here. */
export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  configuration,
  deprecated,
  permissions,
  workspace,
  backend,
  index,
  vectors,
  provider,
  media,
  secrets,
  webhooks,
  tasks,
  schedule,
  dreaming,
  disk,
  clock,
  runtime,
  modules,
  leftovers,
  watchers,
];

/**
 * Those that ask nobody (no provider, no program that keeps secrets, no model), read no index and look
 * at nothing that `overview/` tells of agents already: cheap enough to be made unasked.
 */
export const QUIET_CHECKS: readonly DoctorCheck[] = [
  configuration,
  deprecated,
  permissions,
  tasks,
  schedule,
  disk,
  clock,
  runtime,
  modules,
  leftovers,
  watchers,
];
