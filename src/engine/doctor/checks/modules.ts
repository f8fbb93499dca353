import { runtimeState, runtimesDir } from '../../embeddings/local-runtime/runtime-store.js';
import { SvcError } from '../../errors/index.js';
import { openDatabaseBytes } from '../../sqlite/database.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import type { DoctorWorld } from '../world.js';

/** Whether the native modules load into this Node.js. The vector extension has a check of its own. */
export const modules: DoctorCheck = {
  name: 'modules',
  needs: 'nothing',
  run: async (world) => {
    const findings = [...sqlite(), ...localModels(world)];
    return { summary: 'better-sqlite3', findings };
  },
};

function sqlite(): readonly Finding[] {
  try {
    openDatabaseBytes(Buffer.alloc(0)).close();
    return [];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { message, hint } = error;
    return [
      {
        code: 'sqlite-unusable',
        severity: 'fault',
        message,
        ...(hint === undefined ? {} : { hint }),
      },
    ];
  }
}

/** Only where an agent wants it: nobody else needs one. */
function localModels({ context, agents, host }: DoctorWorld): readonly Finding[] {
  const wanting = agents.filter(
    ({ memorySearch: { provider, fallback } }) => provider === 'local' || fallback === 'local',
  );
  const state = runtimeState(runtimesDir(context.state.stateDir), {
    os: host.platform,
    arch: process.arch,
  });
  if (wanting.length === 0 || state.state === 'ready') return [];
  const isChosen = wanting.some(({ memorySearch }) => memorySearch.provider === 'local');
  return [
    {
      code: 'local-runtime-missing',
      severity: isChosen ? 'fault' : 'warning',
      message: `models cannot be run on this machine: ${state.why}`,
      hint: 'svc provider install local',
    },
  ];
}
